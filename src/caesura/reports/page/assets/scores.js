// The metrics that follow a slider: the library's definitions, for one document. Tests hold them against the library.

/** Return n / (2 * segments), rounded half to even, at least 2. */
export function windowSize(n, reference) {
  const segments = 2 * (reference.length + 1);
  const low = Math.floor(n / segments);
  const twice = 2 * (n - low * segments);
  const up = twice > segments || (twice === segments && low % 2 === 1);
  return Math.max(2, low + (up ? 1 : 0));
}

function windows(n, reference, hypothesis, differs) {
  const k = windowSize(n, reference);
  if (n <= k) return null;
  // A boundary p lies in the windows that begin at units p - k + 1 to p. Between two such events nothing changes.
  const events = [];
  for (const [side, places] of [reference, hypothesis].entries()) {
    for (const place of places) events.push([Math.max(1, place - k + 1), side, 1], [place + 1, side, -1]);
  }
  events.sort((a, b) => a[0] - b[0]);
  const inside = [0, 0];
  let [errors, from] = [0, 1];
  for (const [start, side, change] of [...events, [n - k + 1, 0, 0]]) {
    const to = Math.min(start, n - k + 1);
    if (to > from && differs(...inside)) errors += to - from;
    from = Math.max(from, to);
    inside[side] += change;
  }
  return errors / (n - k);
}

export function pk(n, reference, hypothesis) {
  return windows(n, reference, hypothesis, (a, b) => (a === 0) !== (b === 0));
}

export function windowDiff(n, reference, hypothesis) {
  return windows(n, reference, hypothesis, (a, b) => a !== b);
}

function within(places, others, tolerance) {
  let [found, at] = [0, 0];
  for (const place of places) {
    while (at < others.length && others[at] < place - tolerance) at += 1;
    if (at < others.length && others[at] <= place + tolerance) found += 1;
  }
  return found;
}

/** F1 of boundaries, each found if one of the other side lies within the tolerance. */
export function boundaryF1(n, reference, hypothesis, tolerance = 1) {
  if (!reference.length && !hypothesis.length) return 1;
  if (!reference.length || !hypothesis.length) return 0;
  const precision = within(hypothesis, reference, tolerance) / hypothesis.length;
  const recall = within(reference, hypothesis, tolerance) / reference.length;
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

export function bor(n, reference, hypothesis) {
  if (!reference.length) return hypothesis.length ? Infinity : 1;
  return hypothesis.length / reference.length;
}

function bestOverlap(n, outer, inner) {
  // Sum over the segments of `outer` of the units of the segment of `inner` that covers most of each.
  const ends = [...inner, n];
  let [sum, start, place] = [0, 0, 0];
  for (const end of [...outer, n]) {
    let [best, from] = [0, start];
    while (from < end) {
      const stop = Math.min(end, ends[place]);
      best = Math.max(best, stop - from);
      from = stop;
      if (ends[place] === stop) place += 1;
    }
    sum += best;
    start = end;
  }
  return sum / n;
}

export function purity(n, reference, hypothesis) {
  return bestOverlap(n, hypothesis, reference);
}

export function coverage(n, reference, hypothesis) {
  return bestOverlap(n, reference, hypothesis);
}

/**
 * The metrics of the document view: name, better direction (1 up, -1 down, 0 towards one), function. The F1 is that of
 * the section, with its name and its tolerance in units.
 */
export function documentMetrics({ name, tolerance }) {
  return [
    ["Pk", -1, pk],
    ["WindowDiff", -1, windowDiff],
    [name, 1, (n, reference, hypothesis) => boundaryF1(n, reference, hypothesis, tolerance)],
    ["BOR", 0, bor],
    ["Purity", 1, purity],
    ["Coverage", 1, coverage],
  ];
}

/** Return the score that so many steps stand for; the same arithmetic as in the library, so the same number. */
export function scoreAt(scores, steps) {
  return ((scores.first + steps) * scores.times) / scores.per;
}

/** Return the gaps that reach a threshold, given in steps. */
export function select(scores, threshold) {
  return scores.steps.flatMap((steps, place) => (steps >= threshold ? [place + 1] : []));
}

/** Return the threshold, in steps, that selects as many gaps as the reference has boundaries, or a tenth. */
function equallyDense(scores, reference) {
  const wanted = reference ? reference.length : Math.round(scores.steps.length / 10);
  const ordered = [...scores.steps].sort((a, b) => b - a);
  return wanted < 1 ? ordered[0] + 1 : ordered[Math.min(wanted, ordered.length) - 1];
}

/** Return a document in which a system that has scores but no boundaries is cut as densely as the reference. */
export function cutByScores(document) {
  const cut = (places, at) =>
    places || !document.scores?.[at]
      ? places
      : select(document.scores[at], equallyDense(document.scores[at], document.ref));
  return { ...document, sys: document.sys.map(cut) };
}

/** Return for each place the nearest of the others, the first of two; undefined if none is within the tolerance. */
function nearest(places, others, tolerance) {
  let at = 0;
  return places.map((place) => {
    while (at + 1 < others.length && Math.abs(others[at + 1] - place) < Math.abs(others[at] - place)) at += 1;
    return Math.abs(others[at] - place) <= tolerance ? others[at] : undefined;
  });
}

/**
 * Tell found, near, false and missed boundaries apart. Found is what the F1 counts: within its tolerance of any
 * boundary of the other side. Of the rest near is within half a window of Pk, nearest first, each at most once. Found
 * and near have their partner.
 */
export function outcomes(n, reference, hypothesis, tolerance) {
  const reach = Math.max(1, Math.floor(windowSize(n, reference) / 2));
  const partner = nearest(hypothesis, reference, tolerance);
  const back = nearest(reference, hypothesis, tolerance);
  const hits = hypothesis.flatMap((place, at) => (partner[at] === undefined ? [] : [[place, partner[at]]]));
  const open = reference.filter((_, at) => back[at] === undefined);
  const rest = hypothesis.filter((_, at) => partner[at] === undefined);
  const pairs = [];
  let low = 0;
  for (const place of rest) {
    while (low < open.length && open[low] < place - reach) low += 1;
    for (let at = low; at < open.length && open[at] <= place + reach; at += 1)
      pairs.push([Math.abs(open[at] - place), open[at], place]);
  }
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  const [usedReference, usedHypothesis, near] = [new Set(), new Set(), []];
  for (const [, wantedAt, place] of pairs) {
    if (usedReference.has(wantedAt) || usedHypothesis.has(place)) continue;
    usedReference.add(wantedAt);
    usedHypothesis.add(place);
    near.push([place, wantedAt]);
  }
  return {
    hits,
    near,
    wrong: rest.filter((place) => !usedHypothesis.has(place)),
    missed: open.filter((place) => !usedReference.has(place)),
  };
}

function gain(direction, before, after) {
  if (before === null || after === null) return null;
  if (direction === 0) return Math.abs(before - 1) - Math.abs(after - 1);
  return direction * (after - before);
}

/**
 * Return what each metric would gain if a boundary went, moved by one (by a tenth of a long tolerance: a second of
 * ten), or came; the largest gain of the metric at `wanted` first.
 */
export function blame(n, reference, hypothesis, f1, wanted) {
  const metrics = documentMetrics(f1);
  const step = Math.max(1, Math.floor(f1.tolerance / 10));
  const { near, wrong, missed } = outcomes(n, reference, hypothesis, f1.tolerance);
  const chosen = new Set(hypothesis);
  const without = (place) => hypothesis.filter((other) => other !== place);
  const changes = [];
  for (const place of hypothesis) {
    changes.push(["remove", place, without(place)]);
    for (const to of [place - step, place + step]) {
      if (to >= 1 && to < n && !chosen.has(to))
        changes.push([to < place ? "move back" : "move on", place, [...without(place), to]]);
    }
  }
  for (const place of [...missed, ...near.map(([, wantedAt]) => wantedAt)]) {
    if (!chosen.has(place)) changes.push(["add", place, [...hypothesis, place]]);
  }
  const before = metrics.map(([, , score]) => score(n, reference, hypothesis));
  const falsely = new Set(wrong);
  return changes
    .map(([what, place, changed]) => {
      const after = changed.sort((a, b) => a - b);
      const gains = metrics.map(([, direction, score], at) => gain(direction, before[at], score(n, reference, after)));
      return { what, place, falsely: falsely.has(place), gains };
    })
    .sort((a, b) => (b.gains[wanted] ?? -Infinity) - (a.gains[wanted] ?? -Infinity) || a.place - b.place);
}
