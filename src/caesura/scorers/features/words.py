# SPDX-License-Identifier: Apache-2.0
"""Words of a text, and the stop list of words that carry no topic."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from caesura.errors import DeclarationError

__all__ = ["STOP_WORDS_HELP", "stop_list", "words"]

STOP_WORDS_HELP = "words to leave out: 'english', 'none', or a file with one word per line"

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")

# English function words by kind, and words that manage a conversation rather than its topic.
_ENGLISH = """
a an the this that these those such same other another each every either neither both all any some no none few many much
more most several own certain enough one ones two
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves who whom whose which what whoever whatever someone somebody something
anyone anybody anything everyone everybody everything nobody nothing
am is are was were be been being do does did done doing have has had having will would shall should can could may might
must ought need dare let get gets got getting gotten go goes going gone went come comes came coming make makes made making
take takes took taken taking give gives gave given say says said saying see seen saw seem seems seemed become became
aboard about above across after against along among amongst around as at before behind below beneath beside besides between
beyond by concerning despite down during except for from in inside into like near of off on onto out outside over past per
since than through throughout till to toward towards under underneath until unto up upon via with within without
and but or nor so yet if unless because although though while whereas whether when whenever where wherever why how once then
there here now just only also too very quite rather almost always never ever often sometimes again still already even else
away back perhaps maybe thus therefore hence however moreover otherwise instead indeed not n't further well really actually
yes no yeah yep nope ok okay oh ah uh um hmm mm hi hello hey please thanks thank sorry sure right fine great good nice
i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've we'd we'll
they're they've they'd they'll that's that'll there's here's what's who's where's how's let's isn't aren't wasn't weren't
don't doesn't didn't haven't hasn't hadn't won't wouldn't shan't shouldn't can't cannot couldn't mustn't needn't ain't
"""


def words(text: str) -> list[str]:
    """Return the words of a text in lower case: letters, with apostrophes inside; numbers are not words.

    >>> words("It’s 5 o'clock, Émile!")
    ["it's", "o'clock", 'émile']
    """
    return _WORD.findall(text.lower().replace("’", "'"))


@functools.lru_cache(maxsize=8)
def stop_list(name: str) -> frozenset[str]:
    """Return a stop list by name, or from a file with one word per line."""
    if name == "english":
        return frozenset(_ENGLISH.split())
    if name == "none":
        return frozenset()
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        what = getattr(error, "strerror", None) or "not UTF-8 text"
        raise DeclarationError(
            f"stop_words is {name!r}, which cannot be read ({what}); give 'english', 'none' or a file of words"
        ) from None
    return frozenset(text.lower().split())
