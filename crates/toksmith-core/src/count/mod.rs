//! Text → word counts: the artifact between text and trainers. Counting is associative, so a corpus
//! may be counted in any order, on any number of threads or machines, with one result.

mod counter;
mod plain_words;
mod word_counts;
mod word_table;

pub use counter::WordCounter;
pub use plain_words::LineOrder;
pub use word_counts::{Provenance, WordCounts, WordRef};
