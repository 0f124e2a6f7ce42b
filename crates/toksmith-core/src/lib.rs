//! Training, encoding, decoding and marking of subword tokenizers.
//!
//! Rooms in the order of the data; each knows only those before it:
//!
//! ```text
//! types error control random artifact vocab alphabet model trie lattice
//! normalize → pretokenize → special, boundary → display → count → train
//!                                                        ↘ encode, decode
//! post                  frames, cuts and fills up ids
//! pipeline, tokenizer   compose them      explain   shows      file   saves and loads
//! format                tells files apart and reads those of other libraries
//! ```
//!
//! The crate is pure Rust, prints nothing, never panics on input, never recurses on its length, and
//! no result depends on hash order, threads or the order of documents.

pub mod alphabet;
pub mod artifact;
pub mod boundary;
pub mod control;
pub mod count;
pub mod decode;
pub mod display;
pub mod encode;
pub mod error;
pub mod explain;
pub mod file;
pub mod format;
pub mod lattice;
pub mod model;
pub mod normalize;
mod pipeline;
pub mod post;
pub mod pretokenize;
pub mod random;
pub mod special;
pub mod tokenizer;
pub mod train;
mod trie;
pub mod types;
pub mod vocab;

pub use error::{Error, Result};
pub use tokenizer::Tokenizer;
