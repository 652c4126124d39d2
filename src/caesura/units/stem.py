# SPDX-License-Identifier: Apache-2.0
"""Stems of English words by Porter's algorithm (1980), and in the dialect of NLTK, which ROUGE programs use."""

from __future__ import annotations

import functools
import re

__all__ = ["stem"]

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


def _longest_first(suffixes: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"({'|'.join(sorted(suffixes, key=len, reverse=True))})$")


_NLTK_STEP_2 = {**_STEP_2, "bli": "ble", "fulli": "ful"}
_NLTK_WORDS = {
    "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "innings": "inning", "outings": "outing",
    "cannings": "canning",
} | {word: word for word in ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")}  # fmt: skip
_ENDS_2, _ENDS_3 = _longest_first(tuple(_STEP_2)), _longest_first(tuple(_STEP_3))
_NLTK_ENDS_2, _ENDS_4 = _longest_first((*_NLTK_STEP_2, "logi")), _longest_first(_STEP_4)


@functools.lru_cache(maxsize=1 << 16)
def stem(word: str, *, nltk: bool = False) -> str:
    """Return the stem of a word in lower case; a word of one or two letters, or with other letters, is kept.

    With ``nltk`` it is that of NLTK's stemmer, which adds rules and irregular words, and knows words with digits.

    >>> [stem(word) for word in ("relational", "hopping", "flies", "generalizations", "sky")]
    ['relat', 'hop', 'fli', 'gener', 'sky']
    >>> [stem(word, nltk=True) for word in ("news", "dies", "enjoy", "fly", "really", "technology")]
    ['news', 'die', 'enjoy', 'fli', 'realli', 'technolog']
    """
    if nltk and word in _NLTK_WORDS:
        return _NLTK_WORDS[word]
    if len(word) <= 2 or not (nltk or (word.isascii() and word.isalpha())):
        return word
    word = word[:-1] if nltk and len(word) == 4 and word.endswith("ies") else _plural(word)
    word = _past(word, nltk)
    if word.endswith("y") and (len(word) > 2 and _kinds(word)[-2] == "c" if nltk else _has_vowel(word[:-1])):
        word = word[:-1] + "i"
    word = _second(word) if nltk else _replaced(word, _ENDS_2, _STEP_2)
    word = _replaced(word, _ENDS_3, _STEP_3)
    match = _ENDS_4.search(word)
    if match is not None:
        rest = word[: match.start()]
        if _measure(rest) > 1 and (match[0] != "ion" or rest.endswith(("s", "t"))):
            word = rest
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _short(rest, nltk)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str, nltk: bool) -> str:
    if nltk and word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if not _has_vowel(rest):
                return word
            if rest.endswith(("at", "bl", "iz")):
                return rest + "e"
            if len(rest) > 1 and rest[-1] == rest[-2] and _kinds(rest)[-1] == "c" and rest[-1] not in "lsz":
                return rest[:-1]
            return rest + "e" if _measure(rest) == 1 and _short(rest, nltk) else rest
    return word


def _second(word: str) -> str:
    """Return a word after NLTK's second step: ``alli`` loses its end first, and ``logi`` may follow a short stem."""
    while word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _NLTK_ENDS_2, _NLTK_STEP_2)


def _replaced(word: str, ends: re.Pattern[str], by: dict[str, str]) -> str:
    match = ends.search(word)
    if match is None or _measure(word[: match.start()]) == 0:
        return word
    return word[: match.start()] + by[match[0]]


def _kinds(word: str) -> str:
    """Return c for each consonant and v for each vowel; y is a vowel after a consonant.

    >>> _kinds("toy"), _kinds("syzygy")
    ('cvc', 'cvcvcv')
    """
    kinds = ""
    for letter in word:
        kinds += "v" if letter in "aeiou" or (letter == "y" and kinds.endswith("c")) else "c"
    return kinds


def _measure(word: str) -> int:
    """Return the number of times a consonant follows a vowel.

    >>> [_measure(word) for word in ("tree", "trouble", "private")]
    [0, 1, 2]
    """
    return _kinds(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _kinds(word)


def _short(word: str, nltk: bool) -> bool:
    """Return whether a word ends in consonant, vowel, consonant, and the last is not w, x or y; to NLTK also vowel, consonant."""
    kinds = _kinds(word)
    return (kinds.endswith("cvc") and word[-1] not in "wxy") or (nltk and kinds == "vc")
