"""Regular expressions that documents bring."""

from __future__ import annotations

import pytest

from studio.components.patterns import MAX_STEPS_AT_ONCE, Pattern, compiled

HOSTILE = [
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "(.*a){30}c",
    "([a-z]+)*!!",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(?:a?){500}a{500}c",
    "(?:a|b)*a(?:a|b){30}c",
    "((((a{0,5}){0,5}){0,5}){0,5})c",
    "(?i)(ſ|s|k|K)*$!",
]
"""What keeps an engine that backtracks busy for longer than anybody waits."""


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", HOSTILE)
def test_no_pattern_takes_longer_than_its_text(text: str):
    for said in ("a" * 40 + "!", "a" * 20_000 + "!", "ab" * 10_000):
        assert compiled(text).fits(said + "?") is False
        compiled(text).search(said)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(", "missing"),
        ("(?=x)y", "invalid perl operator"),
        ("(?<!x)y", "invalid perl operator"),
        (r"(a)\1", "invalid escape"),
        ("(?P<n>a)(?P=n)", "invalid"),
        ("a++", "bad repetition"),
        (r"a\Z", r"\\z"),
        ("(a{1000}){1000}", "invalid repetition size"),
        (r"(\pL{30}){30}", "too large"),
        ("|".join(f"word{number}" for number in range(400)), "more than 2,000"),
        ("\ud800", "surrogates"),
        (r"\bécole\b", "ASCII only"),
        ("x{,3}", "Write `{0,n}`"),
        (r"\C", "not known here"),
        (r"\Q.\E", "not known here"),
    ],
)
def test_what_cannot_be_matched_safely_or_means_something_else_is_refused_in_words(text: str, reason: str):
    with pytest.raises(ValueError, match=reason):
        compiled(text)


@pytest.mark.parametrize(
    ("text", "said", "found"),
    [
        ("(?i)pass(word)?", "My PASSWORD.", "PASSWORD"),
        (r"\bsk-[a-z0-9]{4,}\b", "key sk-abc123.", "sk-abc123"),
        ("école", "L'école", "école"),
        (r"\pL+", "…é", "é"),
        ("end$", "the end\n", "end"),
        ("end$", "the end\n\n", None),
        ("(?m)^b$", "a\nb\nc", "b"),
        ("a.c", "a\nc", None),
        ("(?s)a.c", "a\nc", "a\nc"),
        ("b", "\ud800b", "b"),
        (r"\\b", r"é\b", r"\b"),
    ],
)
def test_ordinary_patterns_find_what_they_found_in_python(text: str, said: str, found: str | None):
    assert Pattern(text).search(said) == found


async def test_a_long_text_is_searched_beside_the_loop_and_one_too_long_is_refused():
    pattern = compiled("(?:a|b)*a(?:a|b){12}c")
    assert await pattern.find("ab" * (MAX_STEPS_AT_ONCE // pattern.size)) is None
    with pytest.raises(ValueError, match="too long for this pattern"):
        await compiled(r"\pL{8}").find("a" * 100_000)
