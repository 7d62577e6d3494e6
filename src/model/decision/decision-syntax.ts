/**
 * The syntax of answers in text: marks, quotes, separators, bodies.
 *
 * @module
 */

/** Words after a keyword or a name that make it the subject of a sentence: `RETRY is not needed`. */
export const PROSE =
  /^\s*(?:is|isn['’]t|was|wasn['’]t|or|if|would|should|could|may|might|nothing|(?:not|no longer) (?:needed|necessary|required|warranted|justified))(?:[^\p{L}\p{N}]|$)/iu;

/** Removes the marks that close the open ones: after the keyword, around the first colon, or at an end. */
export function closeMarks(rest: string, open: string): string {
  return runsOf(open).reduceRight((tail, run) => {
    const mark = mirror(run.charAt(0)).repeat(run.length);
    const line = tail.slice(0, lineEnd(tail));
    const colon = line.search(/[:：]/u);
    const places = [
      0,
      colon - mark.length,
      colon + 1,
      line.trimEnd().length - mark.length,
      tail.trimEnd().length - mark.length,
    ];
    const at = places.find((place) => place >= 0 && tail.startsWith(mark, place));
    return at === undefined ? tail : tail.slice(0, at) + tail.slice(at + mark.length);
  }, rest);
}

/** Returns the marks that close all open ones at once. */
export function closersOf(open: string): string {
  return runsOf(open)
    .map((run) => mirror(run.charAt(0)).repeat(run.length))
    .toReversed()
    .join('');
}

/** Reads the text after a keyword or a name, without the separator. */
export function readBody(tail: string): string {
  const body = tail.replace(/^(?:\s*[:：]|[^\S\n]*(?:[.!,;](?:\s|$)|[-–—]\s))/u, '').trim();
  return jsonString(body) ?? body;
}

/** Removes emphasis, quotes, brackets and spaces at both ends. */
export function trimMarks(name: string): string {
  const marks = /[\s*_`"'“‘”’<>[\]()]/u;
  let [start, end] = [0, name.length];
  while (start < end && marks.test(name.charAt(start))) start++;
  while (end > start && marks.test(name.charAt(end - 1))) end--;
  return name.slice(start, end);
}

/** Returns the mark that closes an opening mark. All but curly quotes close themselves. */
export function mirror(mark: string): string {
  return mark === '“' ? '”' : mark === '‘' ? '’' : mark;
}

/** Returns the value of a text that is a JSON string; `undefined` for any other text. */
export function jsonString(text: string): string | undefined {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a text as a JSON string without any control character. */
export function writeString(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007F-\u009F]/gu,
    (mark) => String.raw`\u00${mark.charCodeAt(0).toString(16)}`,
  );
}

/** Returns the index where the first line ends. */
export function lineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}

// --- internal ---

/** Splits marks into runs of the same mark. */
function runsOf(open: string): readonly string[] {
  const runs: string[] = [];
  for (const mark of open) {
    const last = runs.at(-1);
    if (last?.startsWith(mark)) runs[runs.length - 1] = last + mark;
    else runs.push(mark);
  }
  return runs;
}
