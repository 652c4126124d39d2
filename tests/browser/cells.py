"""What every cell of the page's tables must hold, read straight from the results file, table by table."""

from __future__ import annotations

import re

from caesura.table import format_number

_READ = """
tables => tables.map((table) => ({
  title: table.querySelector("h3")?.textContent ?? "",
  heads: [...table.querySelectorAll("thead th")].map((head) => head.textContent.replace(/ (↑|↓|→[-\\d.]+)$/, "")),
  rows: [...table.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => ({
    text: (cell.querySelector("button") ?? cell.firstChild)?.textContent ?? "",
    value: cell.dataset.value === undefined ? null : Number(cell.dataset.value),
    beside: [...cell.querySelectorAll("small")].map((line) => line.textContent),
  }))),
}))
"""

_DAMAGES = ("removal", "splitting", "random", "even", "order", "odd")
_READINGS = {
    "all": "all",
    "without baselines": "no baselines",
    "density removed": "+ log BOR held",
    "systems only": "systems only",
}
_CHANCE = {"count": "as many boundaries", "lengths": "same lengths"}


def _every(results):
    return [(system, name, score) for system, row in results["systems"].items() for name, score in row.items()]


def _scores(results, heads):
    return [[system, *(_shown_for(results, system, name) for name in heads[1:])] for system in results["systems"]]


def _shown_for(results, system, head):
    """Return a score, or what stands beside it: chance and the clock by the F1 of the verdicts, or by the first metric that has them."""
    row, verdict = results["systems"][system], (results.get("verdicts") or {}).get(system)
    if head in row:
        return row[head]["score"]
    if verdict is not None:
        f1 = verdict["findings"]["W-F1"]
        return {"chance": f1["chance"], "clock": _clock(verdict), "BOR": verdict["bor"]}.get(head, f1["score"])
    blind = next(
        (score["blind"] for score in row.values() if score.get("blind")), {"chance": None, "clock": None, "bor": None}
    )
    return blind[head.lower()]


def _intervals(results, heads):
    rows = []
    for system, name, score in _every(results):
        low, high = score["interval"] or (None, None)
        facts = {"system": system, "metric": name, "score": score["score"], "low": low, "high": high}
        rows.append([{**facts, "documents": score["documents"]}[head] for head in heads])
    return rows


def _skill(results, heads):
    return [
        [system, name, score["score"], s["expected"], None if s["exact"] else s["error"], s["skill"]]
        for system, name, score in _every(results)
        if (s := score["skill"])
    ]


def _clock(verdict):
    return max(clock["score"] for clock in verdict["clocks"].values())


def _meaning(results, heads):
    rows = []
    for system, v in results["verdicts"].items():
        f1 = v["findings"]["W-F1"]
        rows.append([system, v["verdict"], v["bor"], f1["score"], f1["chance"], _clock(v), f1["skill"]])
    return rows


def _verdicts(results, heads):
    rows = []
    for system, v in results["verdicts"].items():
        sizes = [
            part for f in v["findings"].values() for part in (f["skill"], None if f["skill"] is None else f["size"])
        ]
        beaten = "yes" if v["above_clock"] else "no"
        rows.append([system, v["verdict"], v["bor"], v["findings"]["W-F1"]["score"], _clock(v), beaten, *sizes])
    return rows


def _regime(results, heads):
    r = results["regimes"]["annotation"]
    densities = [r["per_100_units"], r["mean"], r["sd"], *r["quartiles"]]
    if results["unit"] == "ms":
        segment = round(r["mean_segment"] / 1000)  # the texts have whole seconds here
        clock = f"{segment // 3600}:{segment // 60 % 60:02d}:{segment % 60:02d}"
        return [[r["documents"], r["without"], *(d if d is None else d * 36_000 for d in densities), clock]]
    return [[r["documents"], r["without"], *densities, r["mean_segment"]]]


def _density_error(results, heads):
    return [
        [system, e["total"], e["net"], e["documents_off"], e["worst_share"], ", ".join(e["worst"][:3])]
        for system, e in results["regimes"]["density_error"].items()
    ]


def _comparison(results, heads):
    rows = []
    for c in results["comparisons"]:
        stars = "" if c["better"] is None else sum(c["p_corrected"] < level for level in (0.05, 0.01, 0.001)) * "*"
        better = f"{c['better'] or '-'} {stars}".strip()
        regimes = " / ".join(dict.fromkeys(c["regimes"]))
        row = [c["metric"], f"{c['first']} - {c['second']}", c["difference"], tuple(c["interval"]), c["p"]]
        rows.append(
            [*row, c["p_corrected"], better, c["bors"][0] - c["bors"][1], c["density"], c["placement"], regimes]
        )
    return rows


def _spans_comparison(results, heads):
    rows = []
    for c in results["comparisons"]:
        first, second = (results["systems"][c[which]] for which in ("first", "second"))
        chance = first["InsideByChance"]["score"] - second["InsideByChance"]["score"]
        row = [f"{c['first']} - {c['second']}", first["Inside"]["score"] - second["Inside"]["score"]]
        rows.append([*row, *c["interval"], c["p"], c["p_corrected"], c["better"] or "-", chance])
    return rows


def _costs(results, heads):
    rows = []
    for system, c in results["costs"].items():
        if c["failure"] is None:
            own = {"system": system, "seconds": c["seconds"], "ms/doc": 1000 * c["seconds_per_document"]}
            own |= {"peak MB": c["peak_memory_mb"], "per 100": c["per_100"]}
            own |= {"moved": c["moved_mean"], "moved at most": c["moved_most"]}
            rows.append([own[head] for head in heads])
    return rows


def _cohesion(results, heads):
    rows = []
    for system, d in results["cohesion"]["density"].items():
        scores = (results["systems"][system][head.split(" ")[0]]["score"] for head in heads[3:])
        rows.append([system, d["segments_per_100"], 100 * d["one_unit_share"], *scores])
    return rows


def _against_chance(results, heads):
    keys = ("score", "mean", "z", "mean_z", "mean_percentile", "documents")
    return [
        [system, name, _CHANCE[kind], *(null[key] for key in keys)]
        for system, name, score in _every(results)
        for kind, null in (score["nulls"] or {}).items()
    ]


def _cohesion_comparison(results, heads):
    rows = []
    for c in results["comparisons"]:
        if (e := c["equal"]) is not None:
            row = [c["metric"], f"{c['first']} - {c['second']}", c["difference"], e["difference"], *e["interval"]]
            rows.append([*row, e["p_corrected"], c["better"] or "-", e["how"], c["documents"]])
    return rows


def _named(metric):
    return f"{metric} (blind)" if metric == "Evenness" else metric


def _checks(results, heads):
    """Return a row per system and metric, or per metric, if the documents' own boundaries were damaged: then all systems have the same."""
    checks = results["cohesion"]["checks"]
    if heads[0] == "boundaries of":
        first, *others = checks.values()
        assert all(check["reference"] for check in first.values())
        assert all(other == first for other in others)
        checks = {"documents": first}
    return [
        [what, _named(name), *(check["damages"][kind] for kind in _DAMAGES), check["documents"], check["verdict"]]
        for what, of in checks.items()
        for name, check in of.items()
    ]


def _worst_segments(results, heads):
    return [
        [system, item["document"], f"{item['start']}-{item['end']}", item["value"], item["text"]]
        for system, items in results["cohesion"]["worst"].items()
        for item in items
    ]


def _gaps(kind):
    def rows(results, heads):
        return [
            [system, item["document"], item["gap"], item["value"], f"{item['before']} | {item['after']}"]
            for system, items in results["cohesion"][kind].items()
            for item in items
        ]

    return rows


def _curve(scorer):
    def rows(results, heads):
        found = []
        for point in results["sweep"]["curves"][scorer]:
            scores = [(point["scores"][name], tuple(point["intervals"][name])) for name in results["metrics"]]
            found.append([point["threshold"], point["boundaries"], *(part for pair in scores for part in pair)])
        return found

    return rows


def _areas(results, heads):
    sweep = results["sweep"]
    return [[name, *sweep["covered"][name], *(row[head] for head in heads[3:])] for name, row in sweep["areas"].items()]


def _equal_density(results, heads):
    return [
        [d["metric"], d["first"], d["second"], *d["scores"], d["difference"], tuple(d["interval"])]
        for d in results["sweep"]["equal_density"]
        if d["metric"] != "BOR"
    ]


def _trusts(results):
    return [
        (encoder, name, trust)
        for encoder, of in results["validity"]["encoders"].items()
        for name, trust in of["metrics"].items()
    ]


def _works(results, heads):
    return [[_named(name), *(trust["damages"][kind] for kind in _DAMAGES)] for _, name, trust in _trusts(results)]


def _validity(results, heads):
    return [
        [
            encoder, _named(name), t["verdict"], *(t["damages"][kind] for kind in _DAMAGES), t["worst"],
            t["level_correlation"], t["documents"], "; ".join(t["reasons"]),
        ]
        for encoder, name, t in _trusts(results)
    ]  # fmt: skip


def _ranked_right(results, heads):
    trusts = [trust for *_, trust in _trusts(results)]
    rows = []
    for across in zip(*(trust["trials"] for trust in trusts), strict=True):
        shares = (f"{100 * one['ranked_right']:.0f} %" for one in across)
        rows.append([..., min(one["documents"] for one in across), *shares])
    for kind in trusts[0]["monotonicity"]:
        levels = (trust["monotonicity"][kind]["corpus"] for trust in trusts)
        rows.append([f"level of {kind}, ρ", "", *(None if level is None else f"{level:.2f}" for level in levels)])
    return rows


def _with_reference_metrics(results, heads):
    return [
        [encoder, name, reference, c["pearson"], c["spearman"], c["kendall"], c["points"]]
        for encoder, name, trust in _trusts(results)
        for reference, c in trust["correlations"].items()
    ]


def _level_means(results, heads):
    kinds = ("removal", "splitting", "transposition")
    return [
        [name, reference, *(found[kind]["pearson"] for kind in kinds), min(c["documents"] for c in found.values())]
        for _, name, trust in _trusts(results)
        for reference, found in trust["level_means"].items()
    ]


def _correlations(only_first):
    def rows(results, heads):
        every = results["correlation"]["rows"]
        first = every[0]["reference"]
        ordered = [r for r in every if r["reference"] == first] + [r for r in every if r["reference"] != first]
        found = []
        for r in ordered if not only_first else [r for r in every if r["reference"] == first]:
            own = {"metrics": f"{r['metric']} ~ {r['reference']}", **_coefficient_cells(r)}
            # There is no share with density held constant.
            share = r["ordered"] or {"value": None, "interval": [None, None]}
            low, high = share["interval"]
            ends = "" if low is None or high is None else f" [{100 * low:.0f}, {100 * high:.0f}]"
            own["ordered"] = None if share["value"] is None else f"{100 * share['value']:.0f} %{ends}"
            found.append([own[head] for head in heads])
        return found

    return rows


def _coefficient_cells(r):
    cells = {"reference": r["reference"], "reading": _READINGS[r["reading"]], "n": r["systems"]}
    for name in ("Pearson", "Spearman", "Kendall"):
        c = r[name.lower()]
        ends = "" if None in c["interval"] else " [{:.2f}, {:.2f}]".format(*c["interval"])
        cells[name] = None if c["value"] is None else f"{c['value']:.2f}{ends}"
    return cells


def _correlation_differences(results, heads):
    rows = []
    for d in results["correlation"]["differences"]:
        own = {"first - second": f"{d['first']} - {d['second']}", **_coefficient_cells(d)}
        rows.append([own[head] for head in heads])
    return rows


def _correlated(results, heads):
    ranked = results["correlation"]["ranked"]
    marks = {
        name: " *" if system["baseline"] else " =" if system["reference"] else "" for name, system in ranked.items()
    }
    return [[f"{row[0]}{marks[row[0]]}", *row[1:]] for row in _scores(results, heads)]


def _settings(results, heads):
    ordered = sorted(results["tuning"]["tried"], key=lambda one: -one["score"])  # W-F1: higher is better
    return [[one["method"], one["score"], one["folds"]] for one in ordered]


def _spans(results, heads):
    facts, rows = results["spans"], []
    for system, scores in results["systems"].items():
        chunker, (low, high) = facts["chunkers"][system], scores["Inside"]["interval"]
        own = {"system": system, "spans": facts["spans"], "cut": chunker["cut"], "low": low, "high": high}
        own[f"{facts['length_in']} per chunk"] = chunker["length"]
        rows.append([own[head] if head in own else scores[head]["score"] for head in heads])
    return rows


def _worst_spans(results, heads):
    rows = []
    for system, entries in results["spans"]["worst"].items():
        for each in entries:
            words = " ".join(each["span"].split())
            own = {**each, "system": system, "span": words if len(words) <= 70 else f"{words[:67]}..."}
            rows.append([own[head] for head in heads])
    return rows


def _annotators(results, heads):
    facts = results["agreement"]
    return [
        [name, a["documents"], a["per_100_units"], a["density"], a["agreement"], a["kappa_without"], _apart(a)]
        for name, a in facts["annotators"].items()
    ]


def _apart(annotator):
    kinds = {"agreement": annotator["outlier"], "density": annotator["density_outlier"]}
    return ", ".join(kind for kind, apart in kinds.items() if apart)


def _coefficients(results, heads):
    return [
        [name, c["score"], *c["interval"], *(c[head] for head in heads[4:])]
        for name, c in results["agreement"]["coefficients"].items()
    ]


def _pairs(results, heads):
    return [
        [name, w["pooled"]["mean"], w["pooled"]["sd"], w["reference"]["mean"], w["reference"]["sd"]]
        for name, w in results["agreement"]["pairwise"].items()
    ]


def _matrix(results, heads):
    facts = results["agreement"]
    return [[who, *row] for who, row in zip(facts["names"], facts["pairwise"]["B"]["pooled"]["matrix"], strict=True)]


def _annotator_intervals(results, heads):
    return [
        [
            name, a["boundaries"], a["units_per_segment"], a["bias"], tuple(a["density_interval"]), a["agreement"],
            tuple(a["interval"]), tuple(a["kappa_change"]),
        ]
        for name, a in results["agreement"]["annotators"].items()
    ]  # fmt: skip


def _corpus(results, heads):
    facts = results["agreement"]
    has, segments = facts["statistics"], sum(sum(of) for of in facts["segment_counts"].values())
    counted = (("units of a document", has["documents"], "units"), ("segments of a coding", has["codings"], "segments"))
    rows = [[what, round(number), has[f"{of}_mean"], has[f"{of}_sd"], None, None, None] for what, number, of in counted]
    rows.append(
        ["units of a segment", segments, has["segment_length_mean"], has["segment_length_sd"], None, None, None]
    )
    for at, words in (("exact", "support at the gap"), ("half", "within half a window"), ("full", "within a window")):
        quartiles = (has[f"support_{at}_{quartile}"] for quartile in ("q25", "median", "q75"))
        rows.append([words, len(facts["support"]), None, None, *quartiles])
    return rows


def _near_misses(results, heads):
    facts = results["agreement"]
    return [[who, *row] for who, row in zip(facts["names"], facts["near"]["matrix"], strict=True)]


def _to_embed(results, heads):
    keys = {"chunks": "all_chunks", "tokens to embed": "all_tokens", "longest": "most_tokens"}
    facts = results["spans"]["chunkers"]
    return [[system, *(of[keys.get(head, "over_limit")] for head in heads[1:])] for system, of in facts.items()]


def _health(results, heads):
    """Rules that no chunker breaks have no column; a rule is shown by its short name."""
    rows = []
    for system, rules in results["spans"]["health"].items():
        shares = {rule["short"]: rule["share"] for rule in rules}
        shares["Placement"] = results["spans"]["placement"].get(system)
        rows.append([system, *(shares[head] for head in heads[1:])])
    return rows


def _prominence(results, heads):
    support, rows = results["agreement"]["support"], []
    for kind in ("unanimous", "majority", "minority"):
        gaps = [one for one in support if one["prominence"] == kind]
        means = (sum(one[key] for one in gaps) / len(gaps) if gaps else None for key in ("exact", "half", "full"))
        rows.append([kind, len(gaps), len(gaps) / len(support), *means])
    return rows


def _contested(results, heads):
    rows = []
    for c in results["agreement"]["contested"][:10]:
        votes = f"{len(c['votes_for'])} of {len(c['votes_for']) + len(c['votes_against'])}"
        rows.append([c["document"], c["gap"], votes, c["half"], c["gain"], c["before"] or "", c["after"] or ""])
    return rows


def _against_annotators(results, heads):
    people = {name: score["among"]["people"] for _, name, score in _every(results) if score["among"]}
    return [*_scores(results, heads), [..., *(people.get(name) for name in heads[1:])]]


def _among(results, heads):
    rows = []
    for system, name, score in _every(results):
        if a := score["among"]:
            rank = f"{a['rank']:.1f} of {a['of']:.1f}"
            rows.append([system, name, score["score"], a["best"], a["worst"], a["people"], rank, a["beats"]])
    return rows


def _printed(results, heads):
    def digits(text):
        return len(re.search(r"\d+(?:\.(\d*))?", text)[1] or "")

    return [
        [
            c["row"],
            c["column"],
            c["printed"],
            None if c["ours"] is None else f"{c['ours']:.{digits(c['printed'])}f}",
            ...,
        ]
        for c in results["cells"]
    ]


def _notes(results, heads):
    seen = dict.fromkeys((c["item"], c["note"]) for c in results["cells"] if c["note"])
    return [[item, ..., note] for item, note in seen]


def _errata(results, heads):
    return [[e[head] for head in heads] for e in results["reproduction"]["errata"]]


def _chapters(results, heads):
    keys = ("reference", "found", "missed", "extra", "late", "early", "median", "largest", "titles", "agreeing")
    rows = []
    for name, system in results["chapters"]["systems"].items():
        for show in system["shows"]:
            lost = {"missed": show["reference"] - show["found"], "extra": show["hypothesis"] - show["found"]}
            rows.append([show["document"], name, *({**show, **lost}[key] for key in keys)][: len(heads)])
    return rows


_RULES = {
    "": _scores,
    "correlate/": _correlations(only_first=True),
    "tune/": _settings,
    "spans/": _spans,
    "Intervals": _intervals,
    "Skill": _skill,
    "What the scores mean": _meaning,
    "Verdict": _verdicts,
    "Annotation regime": _regime,
    "Density error": _density_error,
    "Chapters": _chapters,
    "Comparison": _comparison,
    "spans/Comparison": _spans_comparison,
    "Cost": _costs,
    "Against every annotator, mean": _against_annotators,
    "Among the annotators": _among,
    "cohesion/Comparison": _cohesion_comparison,
    "Against chance": _against_chance,
    "Whether metrics may be used": _checks,
    "Worst segments by Support": _worst_segments,
    "Weakest boundaries by Support": _gaps("weakest"),
    "Strongest gaps left out by Support": _gaps("missing"),
    "first": _curve("first"),
    "second": _curve("second"),
    "Area under the curve": _areas,
    "At equal density": _equal_density,
    "Which metrics work here": _works,
    "Verdicts": _validity,
    "Documents ranked right with default": _ranked_right,
    "Correlation with reference metrics": _with_reference_metrics,
    "Correlation of level means with reference metrics": _level_means,
    "All pairs of metrics": _correlations(only_first=False),
    "Differences between metrics": _correlation_differences,
    "Scores": _correlated,
    "Worst spans": _worst_spans,
    "Annotators": _annotators,
    "Agreement": _coefficients,
    "Every annotator against every other": _pairs,
    "B between every two annotators": _matrix,
    "Annotators with intervals": _annotator_intervals,
    "Corpus": _corpus,
    "Near misses": _near_misses,
    "Health": _health,
    "Costs": _to_embed,
    "Boundaries marked by any annotator": _prominence,
    "Contested gaps, largest gain first": _contested,
    "Notes": _notes,
    "Errors found": _errata,
}


def _rule(question, title):
    if title.startswith("Cohesion by "):
        return _cohesion
    if title.startswith("Paper "):
        return _printed
    return _RULES.get(f"{question}/{title}") or _RULES.get(title)


def _shows(cell, wanted, *, whole=False):
    """Say whether a cell shows a value of the results: the number itself behind it, and its text by the rule of all tables.

    Decimals differ from column to column; only where a number may be ``whole`` there are none.
    """
    text, value = cell["text"], cell["value"]
    if wanted is ...:
        return not re.fullmatch(r"[-\d.]+", text)
    if wanted is None or wanted == (None, None):
        return value is None and text == "-"
    if isinstance(wanted, str):
        return text == wanted
    if value is None:
        return False
    found = re.search(r"\d+(?:\.(\d+))?", text)
    digits = len(found[1] or "") if found else 0
    if isinstance(wanted, tuple):
        return value == wanted[0] and digits == 3 and text == format_number(wanted, digits)
    if isinstance(wanted, int):
        return value == wanted and text == str(wanted)
    if abs(value - wanted) > 1e-12 * max(1, abs(wanted)):
        return False
    if text.endswith(" %"):
        return text == f"{100 * wanted:.0f} %"
    if text == "< 0.001":
        return wanted < 0.001
    return text == format_number(float(wanted), digits) and (digits > 0 or whole)


def _beside(results, title, heads, row, at):
    """Return the small lines of a cell: interval and skill of a score, where the table has no column for them.

    Scores without a reference that cannot be ranked have their intervals in a table of their own only.
    """
    score = results["systems"].get(row[0]["text"], {}).get(heads[at])
    if score is None or title.startswith("Cohesion by"):
        return []
    lines = []
    if score["interval"] and score["interval"][0] is not None and "low" not in heads:
        lines.append("{:.3f} to {:.3f}".format(*score["interval"]))
    if score["skill"] and score["skill"]["skill"] is not None and "skill" not in heads:
        lines.append(f"skill {score['skill']['skill']:.2f}")
    return lines


def wrong_cells(tab, results):
    """Return every cell that is not what the results file has, and how many were looked at; ``results`` is its plain JSON."""
    wrong, seen = [], 0
    for table in tab.eval_on_selector_all(".block.table .table", _READ):
        title, heads, rows = table["title"], table["heads"], table["rows"]
        rule = _rule(results["question"], title)
        if rule is None:
            wrong.append(f"{title}: no rule says what its cells are")
            continue
        wanted = rule(results, heads)
        if len(wanted) != len(rows):
            wrong.append(f"{title}: {len(rows)} rows, not {len(wanted)}")
            continue
        for row, values in zip(rows, wanted, strict=True):
            for at, (cell, value) in enumerate(zip(row, values, strict=True)):
                seen += 1
                whole = heads[at] in ("percentile", "peak MB", "moved at most")
                if not _shows(cell, value, whole=whole) or cell["beside"] != _beside(results, title, heads, row, at):
                    wrong.append(f"{title}, {row[0]['text']}, {heads[at]}: {cell}, not {value}")
    return wrong, seen
