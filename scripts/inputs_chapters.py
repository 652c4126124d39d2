# SPDX-License-Identifier: Apache-2.0
"""Chapter files as media people have them, made from the recordings of TinyRec: ``python -m scripts.inputs_chapters FOLDER``.

``samples`` writes one file of each kind. ``main`` reads them all and prints what became of each: read at once, read with
which argument, or refused with which line. The corpus is that of ``CAESURA_DATA``; nothing of it is kept in the repository.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from caesura.errors import CaesuraError
from caesura.formats import load

__all__ = ["Episode", "episodes", "samples"]

Sample = tuple[str, Path, str | None]
"""What a file is, the file, and the format to name if it cannot be told."""


class Episode(NamedTuple):
    """A recording: its chapters as (start in whole seconds, title), its length in seconds, and its cues."""

    id: str
    chapters: Sequence[tuple[int, str]]
    length: int
    cues: Sequence[tuple[float, float, str]]

    @property
    def spans(self) -> list[tuple[int, int, str]]:
        """The chapters with their ends."""
        ends = [*(start for start, _ in self.chapters[1:]), self.length]
        return [(start, end, title) for (start, title), end in zip(self.chapters, ends, strict=True)]


def episodes(number: int = 3) -> list[Episode]:
    """Return the first recordings of TinyRec; the first chapter begins at 0."""
    made: list[Episode] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = load(Path(os.environ["CAESURA_DATA"]) / "tinyrec" / "tinyrec_test_10.jsonl.gz")
    for document in corpus:
        times, units, segmentation = document.unit_times or (), document.units or (), document.segmentation
        starts = [0, *(round(times[gap][0]) for gap in (segmentation.boundaries if segmentation else ()))]
        titles = [" ".join(str(title).split()) for title in document.extra["segment_titles_fine"]]
        cues = [(start, end, text) for (start, end), text in zip(times, units, strict=True)]
        if len(titles) == len(starts):
            made.append(Episode(document.id, list(zip(starts, titles, strict=True)), round(times[-1][1]) + 2, cues))
    return made[:number]


def clock(seconds: float, mark: str = ".", digits: int = 3) -> str:
    """Return hh:mm:ss, with a fraction of some digits."""
    whole, rest = divmod(round(seconds * 1000), 1000)
    fraction = f"{mark}{rest:03d}".ljust(digits + 1, "0") if digits else ""
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{fraction}"


def short(seconds: int) -> str:
    """Return m:ss or h:mm:ss."""
    hours = f"{seconds // 3600}:" if seconds >= 3600 else ""
    return f"{hours}{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def samples(folder: Path) -> list[Sample]:
    """Write a file of each kind into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    many = episodes()
    one = many[0]
    spans, chapters = one.spans, one.chapters
    made: list[Sample] = []

    def add(kind: str, name: str, content: str | object, argument: str | None = None, encoding: str = "utf-8") -> None:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)
        path = folder / name
        path.write_text(text, encoding=encoding)
        made.append((kind, path, argument))

    def listed(line: str) -> str:
        times = {"short": short, "long": lambda seconds: clock(seconds, digits=0)}
        return "".join(
            line.format(
                n=n, start=start, end=end, title=title, s=short(start), e=short(end), hms=times["long"](start),
                t=clock(start), u=clock(end), nano=clock(start, digits=9), frames=f"{clock(start, digits=0)}:00",
                hour=f"{clock(start + 3600, digits=0)}:00", next=f"{clock(end + 3600, digits=0)}:00",
                out=f"{clock(end, digits=0)}:00", srt=clock(start, ","), srt_end=clock(end, ","), ms=start * 1000, end_ms=end * 1000,
            )
            for n, (start, end, title) in enumerate(spans, start=1)
        )  # fmt: skip

    objects = [{"start_time": float(a), "end_time": float(b), "title": t} for a, b, t in spans]
    filler = [{"format_id": str(n), "url": "https://example.com/" + "x" * 200} for n in range(400)]
    add("yt-dlp info.json", "talk.info.json", {"id": one.id, "title": "t", "formats": filler, "thumbnails": [], "duration": one.length, "chapters": objects})  # fmt: skip
    probed = [{"id": n, "time_base": "1/1000", "start": a * 1000, "start_time": f"{a}.000000", "end": b * 1000, "end_time": f"{b}.000000", "tags": {"title": t}} for n, (a, b, t) in enumerate(spans)]  # fmt: skip
    add(
        "ffprobe",
        "ffprobe.json",
        {"chapters": probed, "format": {"filename": "x.mp4", "duration": f"{one.length}.000000"}},
    )
    sections = "[CHAPTER]\nTIMEBASE=1/1000\nSTART={ms}\nEND={end_ms}\ntitle={title}\n"
    add("FFmetadata", "ffmetadata.txt", ";FFMETADATA1\nencoder=Lavf60\n" + listed(sections))
    atom = "<ChapterAtom><ChapterTimeStart>{nano}</ChapterTimeStart><ChapterDisplay><ChapterString>{title}</ChapterString><ChapterLanguage>eng</ChapterLanguage></ChapterDisplay></ChapterAtom>\n"
    head = '<?xml version="1.0"?>\n<!-- <!DOCTYPE Chapters SYSTEM "matroskachapters.dtd"> -->\n'
    add("Matroska XML", "matroska.xml", f"{head}<Chapters><EditionEntry>\n{listed(atom)}</EditionEntry></Chapters>\n")
    add("OGM", "ogm.txt", listed("CHAPTER{n:02d}={t}\nCHAPTER{n:02d}NAME={title}\n"))
    podlove = '<psc:chapters version="1.2" xmlns:psc="http://podlove.org/simple-chapters">\n{}</psc:chapters>\n'
    add("Podlove XML", "podlove.psc", podlove.format(listed('<psc:chapter start="{t}" title="{title}"/>\n')))
    add("Podlove JSON", "podlove.json", [{"start": clock(a), "title": t, "href": "", "image": ""} for a, t in chapters])
    add("Audacity labels, points", "points.txt", listed("{start}.000000\t{start}.000000\t{title}\n"))
    add("Audacity labels, spans", "spans.txt", listed("{start}.000000\t{end}.000000\t{title}\n"))
    premiere = "Marker Name\tDescription\tIn\tOut\tDuration\tMarker Type\n"
    row = "{title}\t\t{frames}\t{frames}\t00:00:00:00\tChapter\n"
    add("Premiere markers", "premiere.csv", premiere + listed(row), encoding="utf-16")
    add(
        "Premiere markers, commas", "premiere_commas.csv", (premiere + listed(row)).replace(",", " ").replace("\t", ",")
    )
    event = "{n:03d}  001      V     C        {hour} {next} {hour} {next}  \n |C:ResolveColorBlue |M:{title} |D:1\n\n"
    add("Resolve markers", "resolve.edl", "TITLE: talk\nFCM: NON-DROP FRAME\n\n" + listed(event))
    marker = '<chapter-marker start="{start}s" duration="1/25s" value="{title}" posterOffset="0s"/>\n'
    clip = f'<asset-clip ref="r1" offset="3600s" start="0s" duration="{one.length}s">\n{listed(marker)}</asset-clip>'
    sequence = f'<sequence duration="{one.length}s" tcStart="3600s"><spine>{clip}</spine></sequence>'
    add("FCPXML markers", "cut.fcpxml", f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n<fcpxml version="1.10"><library><event><project>{sequence}</project></event></library></fcpxml>\n')  # fmt: skip
    words = [{"text": "word", "start": n * 300, "end": n * 300 + 200, "confidence": 0.9} for n in range(2000)]
    heard = [{"summary": "s", "gist": t, "headline": t, "start": a * 1000, "end": b * 1000} for a, b, t in spans]
    add("AssemblyAI", "assemblyai.json", {"id": "x", "acoustic_model": "a", "audio_url": "u", "text": "", "words": words, "audio_duration": one.length, "chapters": heard})  # fmt: skip
    add("chapters as SRT", "marks.srt", listed("{n}\n{srt} --> {srt_end}\n{title}\n\n"), "srt(kind='chapters')")
    add("chapters as SRT, by name", "talk.chapters.srt", listed("{n}\n{srt} --> {srt_end}\n{title}\n\n"))
    add("start,title CSV, seconds", "seconds.csv", "start,title\n" + listed('{start},"{title}"\n'))
    add("start,title CSV, mm:ss", "minutes.csv", "start,title\n" + listed('{s},"{title}"\n'))
    add("start,end,title CSV", "ends.csv", "Start,End,Title\n" + listed('{start},{end},"{title}"\n'))
    add("start,title TSV, hh:mm:ss", "clock.tsv", "time\ttitle\n" + listed("{hms}\t{title}\n"))
    add("start,title CSV without names", "bare.csv", listed('{s},"{title}"\n'))
    add("CSV of many episodes", "episodes.csv", "video_id,start,end,title\n" + "".join(f'{e.id},{a},{b},"{t}"\n' for e in many for a, b, t in e.spans))  # fmt: skip
    add("Whisper's TSV", "whisper.tsv", "start\tend\ttext\n" + "".join(f"{a * 1000:.0f}\t{b * 1000:.0f}\t{t}\n" for a, b, t in one.cues))  # fmt: skip
    add("list of a language model", "model.json", [{"start": short(a), "title": t} for a, t in chapters])
    add(
        "object of a language model",
        "model_object.json",
        {"chapters": [{"timestamp": short(a), "title": t} for a, t in chapters]},
    )
    add("times to titles", "model_times.json", {clock(a, digits=0): t for a, t in chapters})
    add("Markdown, bold times", "bold.md", "Here are the chapters:\n\n" + listed("- **{hms}** - {title}\n"))
    add(
        "Markdown, bold times, .txt",
        "bold.txt",
        "## Chapters\n\n" + listed("{n}. **{s}** – {title}\n   A sentence about it.\n"),
    )
    add("Markdown table", "table.txt", "| Time | Title |\n|---|---|\n" + listed("| {s} | {title} |\n"))
    add("time behind the title", "behind.txt", listed("{title} {s}\n"))
    add("time with its end", "ranges.txt", listed("{s} - {e} {title}\n"))
    add("YouTube description", "youtube.txt", listed("{s} {title}\n"))
    add(
        "Podcasting 2.0",
        "podcast.json",
        {"version": "1.2.0", "chapters": [{"startTime": a, "title": t} for a, t in chapters]},
    )
    add("WebVTT chapters", "chapters.vtt", "WEBVTT\n\n" + listed("{t} --> {u}\n{title}\n\n"))
    gold = {e.id: {"timestamps": [[a, b] for a, b, _ in e.spans], "sentences": [t for *_, t in e.spans], "duration": e.length} for e in many}  # fmt: skip
    add("VidChapters references", "chapters_dvc_test.json", gold)
    answers = {e.id: [{"timestamp": [float(a), float(b)], "sentence": t} for a, b, t in e.spans] for e in many}
    add("VidChapters predictions", "val_preds.json", answers)
    add("VidChapters predictions in results", "preds.json", {"version": "1", "results": answers})
    add("Chapter-Llama chapters.json", "llama.json", {e.id: {"duration": e.length, "title": "t", "chapters": {clock(a, digits=0): t for a, t in e.chapters}} for e in many})  # fmt: skip
    lines = [{"hypothesis": [a + 3 * (a > 0) for a, _ in e.chapters], "reference": [a for a, _ in e.chapters], "duration": e.length, "reference_titles": [[t, a] for a, t in e.chapters]} for e in many]  # fmt: skip
    add(
        "chunkseg JSONL",
        "chunkseg.jsonl",
        "".join(json.dumps(line) + "\n" for line in lines),
        "chapter_json(side='reference')",
    )
    return made


def main(folder: Path) -> None:
    """Write the samples, read them, and print what became of each."""
    for kind, path, argument in samples(folder):
        outcome = "read at once"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    corpus = load(path)
                except CaesuraError as error:
                    if argument is None:
                        raise
                    print(f"    {error}")
                    corpus, outcome = load(path, argument), f"read with {argument}"
            shown = ", ".join(f"{d.n_units} {d.unit}, {d.segmentation and d.segmentation.n_segments}" for d in corpus)
            print(f"{kind}: {outcome} ({corpus.origin and corpus.origin.format}: {shown})")
        except CaesuraError as error:
            print(f"{kind}: refused: {error}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
