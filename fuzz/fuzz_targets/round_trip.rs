//! Any bytes, as training text and as input: decoding gives the input back, for every trainer, boundary
//! and encoder, and offsets say where each token stands.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toksmith_core::Tokenizer;
use toksmith_core::alphabet::AlphabetOrder;
use toksmith_core::boundary::{Boundary, WhitespaceRule};
use toksmith_core::control::NoControl;
use toksmith_core::count::{Provenance, WordCounter};
use toksmith_core::encode::EncoderKind;
use toksmith_core::normalize::Normalizer;
use toksmith_core::pretokenize::{DigitRule, Pretokenizer, PretokenizerSettings, names};
use toksmith_core::special::AllowedSpecial;
use toksmith_core::tokenizer::TrainSettings;
use toksmith_core::train::{
    AlphabetSettings, BpeSettings, Score, TrainerSettings, UnigramSettings, WordPieceSettings,
    WordsSettings,
};

fuzz_target!(|data: &[u8]| {
    let [choice, trainer, text @ ..] = data else {
        return;
    };
    let (choice, trainer) = (usize::from(*choice), usize::from(*trainer));
    let boundary = Boundary::ALL[choice % 7];
    let whitespace = [WhitespaceRule::Split, WhitespaceRule::Whole][choice / 7 % 2];
    // Those that this build has: jieba may be left out.
    let pretokenizers: Vec<_> = names()
        .into_iter()
        .filter_map(|name| {
            Pretokenizer::new(&PretokenizerSettings {
                pattern: name.to_owned(),
                unicode: None,
                digits: [None, Some(DigitRule::Single), Some(DigitRule::Right(3))][choice % 3],
            })
            .ok()
        })
        .collect();
    let pretokenizer = pretokenizers[choice / 14 % pretokenizers.len()].clone();
    let (corpus, input) = text.split_at(text.len() / 2);
    let provenance = Provenance::of(Normalizer::IDENTITY, &pretokenizer, boundary, whitespace);
    let mut counter = WordCounter::new(provenance, 1).unwrap();
    counter.count(&[corpus, b"fallback"], &NoControl).unwrap();
    let settings = TrainSettings {
        strict: false,
        recipe: "fuzz".to_owned(),
        vocab_size: boundary.alphabet_len() + 64 + 4 * text.len(),
        trainer: trainers()[trainer % 8].clone(),
        encoder: None,
        alphabet: [AlphabetSettings::default(), characters()][trainer / 8 % 2].clone(),
        special_tokens: vec!["<s>".to_owned()],
        unk: None,
    };
    let counts = counter.finish(&NoControl).unwrap();
    let trained = Tokenizer::train(&counts, settings, &NoControl).unwrap();
    // Those that the vocabulary can have.
    let encoders = EncoderKind::ALL.into_iter();
    for tokenizer in encoders.filter_map(|kind| trained.with_encoder(kind).ok()) {
        let encoding = tokenizer
            .encode_with_offsets(input, AllowedSpecial::All)
            .unwrap();
        let ids = tokenizer.encode(input, AllowedSpecial::All).unwrap();
        assert_eq!(ids, encoding.ids);
        assert_eq!(
            tokenizer.explain(input, AllowedSpecial::All).unwrap().ids,
            ids
        );
        let decoder = tokenizer.decoder();
        let decoded = decoder
            .decode(&ids, decoder.state(None, false).unwrap())
            .unwrap();
        assert_eq!(decoded, input);
        for (&id, &(start, end)) in ids.iter().zip(&encoding.byte_spans) {
            let bytes = decoder.token_bytes(id).unwrap();
            // Metaspace's first token holds the space that was put before the text.
            let is_prefixed = boundary.has_prefix() && bytes.len() > end - start;
            assert_eq!(&bytes[usize::from(is_prefixed)..], &input[start..end]);
        }
    }
});

fn trainers() -> [TrainerSettings; 8] {
    let bpe = BpeSettings {
        min_pair_count: 1,
        ..BpeSettings::default()
    };
    let wordpiece = |score| {
        TrainerSettings::Wordpiece(WordPieceSettings {
            score,
            min_pair_count: 1,
            ..WordPieceSettings::default()
        })
    };
    [
        TrainerSettings::Bpe(bpe.clone()),
        TrainerSettings::ScaffoldBpe(bpe),
        wordpiece(Score::Pmi),
        wordpiece(Score::Likelihood),
        wordpiece(Score::Frequency),
        TrainerSettings::Unigram(UnigramSettings::default()),
        TrainerSettings::Words(WordsSettings::default()),
        TrainerSettings::Characters {},
    ]
}

fn characters() -> AlphabetSettings {
    AlphabetSettings::Characters {
        order: AlphabetOrder::Bytes,
        coverage: 0.9,
        limit: None,
        required: "\u{e9}".to_owned(),
        byte_fallback: true,
    }
}
