// Numbers as the library prints them.

/** Return a number with fixed decimals, ties to the even digit as Python has it; "-" where it is not defined. */
export function shown(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "-";
  if (value === "inf" || value === Infinity) return "inf";
  if (value === "-inf" || value === -Infinity) return "-inf";
  const text = value.toFixed(digits);
  const exact = value.toFixed(Math.min(100, digits + 60));
  const rest = exact.slice(exact.indexOf(".") + 1 + digits);
  if (!/^50*$/.test(rest)) return text;
  const down = exact.slice(0, exact.indexOf(".") + (digits ? 1 + digits : 0));
  return Number(down.at(-1)) % 2 === 0 ? down : text;
}

/** Return whether a score is a number, and neither missing nor infinite. */
export function isDefined(value) {
  return typeof value === "number";
}

const WIDE = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/g;

/** Return how many characters of a name fit: wide ones, such as Chinese, take the room of two. */
function fitting(name, most) {
  return Math.max(4, Math.floor(most / (1 + (name.match(WIDE) || []).length / (name.length || 1))));
}

/** Return names without their middle if too long; where two would be alike, with what differs, else numbered. */
export function shortened(names, most) {
  const cut = (name) => {
    const room = fitting(name, most);
    const half = Math.max(2, Math.floor(room / 2) - 1);
    return name.length <= room ? name : `${name.slice(0, half)}…${name.slice(-half)}`;
  };
  const same = (made, at) => made.flatMap((name, other) => (name === made[at] && other !== at ? [names[other]] : []));
  const short = names.map(cut);
  const apart = names.map((name, at) => {
    const others = same(short, at);
    if (!others.length) return short[at];
    const differs = (other) => [...name].findIndex((letter, place) => letter !== [...other][place]);
    const from = Math.min(...others.map(differs).map((place) => (place < 0 ? name.length : place)));
    const part = [...name].slice(Math.max(0, from - 2)).join("");
    const room = fitting(part, most) - 1;
    return `…${part.length <= room ? part : `${part.slice(0, room - 1)}…`}`;
  });
  return apart.map((name, at) => (same(apart, at).length ? `${name} ${at + 1}` : name));
}

/** Return a count with its noun. */
export function counted(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** Return milliseconds as h:mm:ss. */
export function clock(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  const two = (part) => String(part).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** Return a position in the unit of a document. */
export function position(place, unit) {
  return unit === "ms" ? clock(place) : String(place);
}

/** Return a distance in the unit of a document. */
export function distance(units, unit) {
  return unit === "ms" ? `${Number((units / 1000).toFixed(1))} s` : counted(units, unit);
}

/** Return round values between two numbers for an axis. */
export function ticks(low, high, wanted = 5) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => span / size <= wanted) || 10 * power;
  const values = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step)
    values.push(Number(at.toPrecision(12)));
  return values;
}
