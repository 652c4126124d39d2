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

/** Return names without their middle if they are too long, numbered where two would be alike. */
export function shortened(names, most) {
  const half = Math.max(2, Math.floor(most / 2) - 1);
  const short = names.map((name) => (name.length <= most ? name : `${name.slice(0, half)}…${name.slice(-half)}`));
  return short.map((name, at) => (short.indexOf(name) === short.lastIndexOf(name) ? name : `${name} ${at + 1}`));
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
