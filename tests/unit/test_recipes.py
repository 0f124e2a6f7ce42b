"""Recipes turn names into settings."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

import toksmith as ts
from toksmith import _core
from toksmith.errors import SettingsError
from toksmith.recipes import (
    NormalizerSettings,
    Recipe,
    RecipeSettings,
    compositions,
    known_encoders,
    known_recipes,
)


def test_known_recipes_are_every_base_with_every_encoder_in_reading_order() -> None:
    read_tokens = ["longest-first", "longest-prefix", "longest-suffix", "fewest-tokens"]
    suffixes = ["", *(f"+{encoder}" for encoder in [*read_tokens, "whole-word"])]
    bases = ["bpe", "isbpe-single", "isbpe-dual", "bpe-line-fed"]
    of_these = [name for name in known_recipes() if name.partition("+")[0] in bases]
    assert of_these == [base + suffix for base in bases for suffix in suffixes]
    assert "words" in known_recipes()
    assert "words+merge-rank" not in known_recipes()


@pytest.mark.parametrize("method", compositions())
def test_a_method_goes_with_the_encoders_that_its_vocabulary_can_be_run_with(method: str) -> None:
    tok = ts.train(method, ["low low lower", "caf\u00e9"], vocab_size=1_100)
    for encoder in known_encoders():
        if encoder in compositions()[method]:
            assert tok.with_encoder(encoder).encoder == encoder
            assert tok.with_encoder(encoder).recipe in known_recipes()
        else:
            lacks = {"merge-rank": "not made by merges", "viterbi": "no scores"}[encoder]
            with pytest.raises(SettingsError, match=lacks):
                tok.with_encoder(encoder)


@pytest.mark.parametrize("name", known_recipes())
def test_a_known_name_is_canonical(name: str) -> None:
    assert Recipe.parse(name).name == name


def test_the_default_encoder_may_be_written_out_and_is_left_out_of_the_name() -> None:
    assert Recipe.parse("isbpe-dual+merge-rank") == Recipe.parse("isbpe-dual")


@pytest.mark.parametrize(
    ("name", "boundary", "encoder", "line_fed"),
    [
        ("bpe", "space-prefix", "merge-rank", False),
        ("bpe+longest-first", "space-prefix", "longest-first", False),
        ("isbpe-single", "implicit-single", "merge-rank", False),
        ("isbpe-dual+longest-first", "implicit-dual", "longest-first", False),
        ("bpe-line-fed", "space-prefix", "merge-rank", True),
        ("bpe-line-fed+longest-first", "space-prefix", "longest-first", True),
    ],
)
def test_a_name_stands_for_one_point_on_each_axis(
    name: str, boundary: str, encoder: str, line_fed: bool
) -> None:
    recipe = Recipe.parse(name)
    assert (recipe.boundary, recipe.encoder, recipe.line_fed) == (boundary, encoder, line_fed)


@pytest.mark.parametrize(
    "name",
    ["", "+", "BPE", "bpe+", "bpe+fastest", "bpe+longest-first+merge-rank", "+bpe", "unigrams"],
)
def test_an_unknown_name_is_refused_with_the_list_of_known_ones(name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Recipe.parse(name)
    assert repr(name) in str(caught.value)
    for known in known_recipes():
        assert known in str(caught.value)


def test_an_unknown_encoder_is_refused_with_those_that_go_with_the_method() -> None:
    with pytest.raises(SettingsError, match="encoders merge-rank, longest-first"):
        Recipe.parse("bpe+viterbi")


def test_a_name_that_is_no_string_is_refused() -> None:
    with pytest.raises(SettingsError, match="named by a string, got None"):
        Recipe.parse(None)  # type: ignore[arg-type]


def test_an_unknown_setting_is_refused_with_the_list_of_known_ones() -> None:
    with pytest.raises(SettingsError, match="unknown setting 'patern'; known: pretokenizer, "):
        Recipe.parse("bpe", patern="gpt2")  # type: ignore[call-arg]


def test_none_leaves_a_setting_at_its_default() -> None:
    assert Recipe.parse("bpe", pretokenizer=None, special_tokens=None) == Recipe.parse("bpe")


@pytest.mark.parametrize(
    ("special_tokens", "message"),
    [
        ("<eot>", "list of strings, got '<eot>'"),
        ({"<eot>": 0}, "list of strings"),
        (["<eot>", 7], r"special_tokens\[1\] is 7"),
    ],
)
def test_special_tokens_that_are_no_list_of_strings_are_refused(
    special_tokens: object, message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        Recipe.parse("bpe", special_tokens=special_tokens)  # type: ignore[arg-type]


def test_counting_settings_hold_what_the_core_reads() -> None:
    recipe = Recipe.parse(
        "isbpe-dual",
        pretokenizer=r"\d|\D+",
        digits="right-3",
        whitespace="whole",
        unicode="14.0",
    )
    assert json.loads(recipe.counting_settings()) == {
        "normalizer": [],
        "pretokenizer": r"\d|\D+",
        "digits": "right-3",
        "boundary": "implicit-dual",
        "whitespace": "whole",
        "unicode": "14.0",
        "user_defined_symbols": [],
    }


def test_training_settings_hold_what_the_core_reads() -> None:
    recipe = Recipe.parse(
        "bpe+longest-first", special_tokens=["<eot>"], min_pair_count=5, alphabet_order="gpt2"
    )
    assert json.loads(recipe.training_settings(1_000)) == {
        "recipe": "bpe+longest-first",
        "vocab_size": 1_000,
        "trainer": {"type": "bpe", "min_pair_count": 5},
        "encoder": "longest-first",
        "alphabet": {"type": "bytes", "order": "gpt2"},
        "special_tokens": ["<eot>"],
        "unk": None,
        "strict": False,
    }


def test_a_recipe_is_frozen_and_can_be_a_key() -> None:
    recipe = Recipe.parse("bpe", special_tokens=["<eot>"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe.boundary = "implicit-dual"  # type: ignore[misc]
    assert {recipe: 1}[Recipe.parse("bpe", special_tokens=("<eot>",))] == 1


@pytest.mark.parametrize(
    "name", ["gpt4", "gpt-2", "GPT2", "gpt2_contraction_fix", "cl100k_base", ""]
)
def test_a_misspelt_pretokenizer_is_not_taken_for_a_regular_expression(name: str) -> None:
    message = f"; known: {', '.join(_core.pretokenizers())}, or a regular expression"
    for call in (
        lambda: Recipe.parse("bpe", pretokenizer=name),
        lambda: Recipe(name="bpe", pretokenizer=name),
        lambda: ts.BPE(pretokenizer=name),
        lambda: ts.ISBPE(pretokenizer=name),
        lambda: ts.train("bpe", "low", vocab_size=257, pretokenizer=name),
        lambda: ts.count_words("low", pretokenizer=name),
    ):
        with pytest.raises(SettingsError) as caught:
            call()
        assert str(caught.value).startswith(f"unknown pretokenizer {name!r}")
        assert str(caught.value).endswith(message)


@pytest.mark.parametrize("name", [*_core.pretokenizers(), "[a-z]+|."])
def test_the_names_of_patterns_and_regular_expressions_are_taken(name: str) -> None:
    assert ts.count_words("low", pretokenizer=name).provenance["pretokenizer"] == name


@pytest.mark.parametrize("digits", ["", "none", "left-0", "right-10", "singel", 3])
def test_an_unknown_rule_for_digits_is_refused_with_the_known_ones(digits: object) -> None:
    for call in (
        lambda: Recipe.parse("bpe", digits=digits),  # type: ignore[arg-type]
        lambda: ts.BPE(digits=digits),  # type: ignore[arg-type]
        lambda: ts.ISBPE(digits=digits),  # type: ignore[arg-type]
        lambda: ts.count_words("low", digits=digits),  # type: ignore[arg-type]
    ):
        with pytest.raises(
            SettingsError, match=r"unknown digits .*; known: single, left-1, .*right-9"
        ):
            call()


@pytest.mark.parametrize("digits", _core.digit_rules())
def test_rules_for_digits_are_taken_and_recorded(digits: str) -> None:
    counts = ts.count_words("in 1984", digits=digits)
    assert counts.provenance["digits"] == digits
    assert "digits" not in ts.count_words("in 1984").provenance


@pytest.mark.parametrize("count", [0, -1, 2**64, 2.0, True, "2"])
def test_a_pair_count_that_no_pair_can_fall_below_is_refused(count: object) -> None:
    with pytest.raises(SettingsError, match=r"min_pair_count is .*, but must be a whole number"):
        Recipe.parse("bpe", min_pair_count=count)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("isbpe-dul", "isbpe-dual"),
        ("bpee", "bpe"),
        ("BPE+longest-first", "bpe+longest-first"),
        ("bpe+longest-frist", "bpe+longest-first"),
    ],
)
def test_a_near_miss_is_told_what_was_probably_meant(slip: str, meant: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(f"(did you mean {meant!r}?)")):
        Recipe.parse(slip)


@pytest.mark.parametrize("spelling", ["nfkc", ["nfkc"], {"type": "nfkc"}, ({"type": "nfkc"},)])
def test_a_normalizer_has_one_form_however_it_is_written(spelling: NormalizerSettings) -> None:
    recipe = Recipe.parse("bpe", normalizer=spelling)
    assert recipe == Recipe.parse("bpe", normalizer="nfkc") != Recipe.parse("bpe")
    assert hash(recipe) == hash(Recipe.parse("bpe", normalizer="nfkc"))
    assert recipe.normalizer == ({"type": "nfkc", "unicode": "18.0"},)
    assert dataclasses.replace(recipe, whitespace="whole").normalizer == recipe.normalizer


@pytest.mark.parametrize("spelling", ["identity", [], (), ["identity"]])
def test_no_step_is_identity(spelling: NormalizerSettings) -> None:
    assert Recipe.parse("bpe", normalizer=spelling) == Recipe.parse("bpe")


def test_a_normalizer_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match=r'normalizer: unknown normalizer "nfx"; known: .*nfkc'):
        Recipe.parse("bpe", normalizer=["nfc", "nfx"])
    with pytest.raises(SettingsError, match=r"normalizer: .*not JSON serializable"):
        Recipe.parse("bpe", normalizer=[{"type": "replace", "by": b"x"}])


@pytest.mark.parametrize(
    ("settings", "needs"),
    [
        ({"byte_fallback": False}, 'alphabet="characters"'),
        ({"character_coverage": 0.9}, 'alphabet="characters"'),
        ({"limit_alphabet": 3}, 'alphabet="characters"'),
        ({"required_characters": "é"}, 'alphabet="characters"'),
        ({"unk_scope": "word"}, "unk_token"),
        ({"unk_max_characters": 100}, "unk_token"),
    ],
)
def test_a_setting_that_would_do_nothing_is_refused(
    settings: dict[str, object], needs: str
) -> None:
    (setting,) = settings
    with pytest.raises(SettingsError, match=f"{setting} is .*, but does nothing without {needs}"):
        ts.BPE(**settings)  # type: ignore[arg-type]


def test_another_alphabet_leaves_out_the_coverage_of_the_recipes_own() -> None:
    assert Recipe.parse("unigram").character_coverage == 0.9995
    assert Recipe.parse("unigram", alphabet="bytes").character_coverage == 1.0


CORPUS = ["the cat sat on the mat [sep] 1984 caf\u00e9 \u4e2d\u6587", "The cat, the mat! caf\u00e9"]
SETTINGS: list[RecipeSettings] = [
    {},
    {"pretokenizer": "cl100k", "digits": "right-3", "normalizer": ["nfkc", "lowercase"]},
    {"pretokenizer": r"\w+", "whitespace": "whole", "boundary": "metaspace"},
    {"pretokenizer": "gpt2", "unicode": "14.0"},
    {"special_tokens": ["<s>", "</s>"], "user_defined_symbols": ["[sep]"], "alphabet": "bytes"},
    {
        "alphabet": "characters",
        "alphabet_order": "gpt2",
        "character_coverage": 0.95,
        "limit_alphabet": 30,
        "required_characters": "\u00e9\u00e8",
        "byte_fallback": False,
        "special_tokens": ["<s>", "<unk>"],
        "unk_token": "<unk>",
        "unk_scope": "word",
        "unk_max_characters": 100,
    },
]
OF_METHODS: dict[str, RecipeSettings] = {
    "bpe": {"min_pair_count": 3, "num_merges": 5, "max_token_bytes": 3},
    "scaffold-bpe": {"min_pair_count": 3, "num_merges": 5, "max_token_bytes": 3},
    "wordpiece-likelihood": {"min_score": 0.5, "min_pair_count": 1, "max_token_bytes": 3},
    "unigram": {"seed_size": 50, "shrinking_factor": 0.6, "num_sub_iterations": 3},
    "words": {"min_word_count": 2, "alphabet": "none", "unk_token": "<unk>"},
}


@pytest.mark.parametrize("method", [*compositions(), "bpe-line-fed", "bpe+longest-first"])
def test_the_settings_of_a_tokenizer_give_the_recipe_that_trains_it_again(method: str) -> None:
    for settings in [*SETTINGS, OF_METHODS.get(method, {})]:
        recipe = Recipe.parse(method, **settings)
        tok = ts.train(recipe, CORPUS, vocab_size=1_100)
        again = Recipe.from_settings(json.loads(json.dumps(tok.settings)))
        assert again.name == recipe.name
        retrained = ts.train(again, CORPUS, vocab_size=1_100)
        assert retrained.to_json() == tok.to_json()
        assert Recipe.from_settings(retrained.settings) == again


def test_the_settings_of_a_tokenizer_hold_every_stage() -> None:
    tok = ts.BPE(
        alphabet="characters",
        unk_token="<unk>",
        unk_scope="word",
        unk_max_characters=9,
        user_defined_symbols=["[sep]"],
    ).train("low low", vocab_size=260)
    tok = tok.with_added_tokens(["rw"]).with_template(["<unk>", "$A"])
    settings = tok.settings
    assert settings["alphabet"]["type"] == "characters"
    assert settings["trainer"]["type"] == "bpe"
    assert settings["unk"] == {"token": "<unk>", "scope": "word", "max_characters": 9}
    added = [(token["text"], token["kind"]) for token in settings["added_tokens"]]
    assert added == [("[sep]", "anywhere"), ("<unk>", "special"), ("rw", "word")]
    assert settings["template"] == tok.template is not None
    assert (settings["recipe"], settings["encoder"]) == ("bpe", "merge-rank")
    with pytest.raises(SettingsError, match="'bpe' was not trained here"):
        Recipe.from_settings(settings | {"trainer": None})


@pytest.mark.parametrize("share", [0, 10**400, -1.0, True, float("nan"), "1"])
def test_a_share_outside_its_bounds_is_refused(share: object) -> None:
    with pytest.raises(SettingsError, match=r"character_coverage is .*, but must be above 0"):
        Recipe.parse("bpe", alphabet="characters", character_coverage=share)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"shrinking_factor is .*, but must be above 0"):
        Recipe.parse("unigram", shrinking_factor=share)  # type: ignore[arg-type]
