/**
 * Parser of the phase that a text sends back.
 *
 * A name may contain separators and decoration. Therefore known names are searched first, literally.
 *
 * @module
 */
import {
  closeMarks,
  closersOf,
  jsonString,
  lineEnd,
  PROSE,
  readBody,
  trimMarks,
  writeString,
} from './decision-syntax.ts';
import type { Decision } from './decision.ts';

/**
 * Reads the text after `RETRY_PREDECESSOR`.
 *
 * @param open Marks that are open at the keyword.
 * @param phases Known names. An unknown name ends at the first separator.
 * @returns `undefined` if there is no name.
 */
export function readPredecessor(rest: string, open: string, phases: readonly string[]): Decision | undefined {
  const tail = closeMarks(rest, open);
  return readKnown(rest, tail, open, phases) ?? readQuoted(tail) ?? readAny(tail);
}

/** True if a name follows. Known names are only searched if no other name can be read. */
export function hasPredecessor(line: string, open: string, phases: readonly string[]): boolean {
  const tail = closeMarks(line, open);
  if (tail.trim() === '') return false;
  return (readQuoted(tail) ?? readAny(tail) ?? readKnown(line, tail, open, phases)) !== undefined;
}

/** Returns spellings of a name, the plainest first: the first that is read back as that name can be used. */
export function spellings(name: string): readonly string[] {
  const first = name.charCodeAt(0).toString(16).padStart(4, '0');
  const escaped = String.raw`"\u${first}${writeString(name.slice(1)).slice(1)}`;
  return [name, writeString(name), ...(name === '' ? [] : [escaped])];
}

// --- internal ---

/** A place where a name may begin, and the marks that are still open there. */
interface Start {
  readonly text: string;
  readonly open: string;
}

/** A known name, and the text after it. */
interface Found {
  readonly name: string;
  readonly tail: string;
}

/** A form of a known name: the text to search, and if marks and case are ignored. */
interface Form {
  readonly core: (name: string) => string;
  readonly marks: boolean;
  readonly anyCase: boolean;
}

const AS_IT_IS: Form = { core: (name) => name, marks: false, anyCase: false };
const LENIENT: readonly Form[] = [
  { core: (name) => name, marks: true, anyCase: false },
  { core: trimMarks, marks: true, anyCase: false },
  { core: trimMarks, marks: true, anyCase: true },
];

/** A clear separator: a colon inside a name has no space after it. */
const CLEAR = /^(?:[^\S\n]*(?:：|[:.!,;](?:\s|$)|\n|$)|[^\S\n]+[-–—]\s)/u;
const ANY = /^(?:\s|[:：])/u;

function readKnown(rest: string, tail: string, open: string, phases: readonly string[]): Decision | undefined {
  if (phases.length === 0) return undefined;
  const quoted = readQuoted(tail);
  const isKnown = quoted !== undefined && phases.includes(quoted.phase);
  // Only `formatDecision` writes a name like this, when any other spelling would be read as another name.
  if (isKnown && /^[^\S\n]*"\\u/u.test(tail)) return quoted;
  const starts = startsOf(rest, open);
  const plain = find(starts, AS_IT_IS, phases, isClear);
  if (plain) return plain;
  if (isKnown) return quoted;
  for (const form of LENIENT) {
    const found = find(starts, form, phases, isClear);
    if (found) return found;
  }
  for (const form of [AS_IT_IS, ...LENIENT]) {
    const found = find(starts, form, phases, isLoose);
    if (found) return found;
  }
  return undefined;
}

/** Returns the starts after the keyword, after a colon, and after the marks that close there. */
function startsOf(rest: string, open: string): readonly Start[] {
  const begin = (text: string, marks: string): readonly Start[] => [
    { text: text.replace(/^[^\S\n]+/u, ''), open: marks },
    { text: text.replace(/^[^\S\n]*[:：]?[^\S\n]*/u, ''), open: marks },
  ];
  const starts = begin(rest, open);
  const closers = closersOf(open);
  const closed = closers === '' ? [] : starts.filter(({ text }) => text.startsWith(closers));
  return [...starts, ...closed.flatMap(({ text }) => begin(text.slice(closers.length), ''))];
}

/** Finds the longest name in one form that a separator follows. If two names match equally, neither counts. */
function find(
  starts: readonly Start[],
  form: Form,
  phases: readonly string[],
  separates: (tail: string) => boolean,
): Decision | undefined {
  for (const start of starts) {
    const found = phases.flatMap((name) => nameAt(start, form, name) ?? []).filter(({ tail }) => separates(tail));
    const shortest = Math.min(...found.map(({ tail }) => tail.length));
    const [longest, other] = found.filter(({ tail }) => tail.length === shortest);
    if (longest && !other) return { type: 'retryPredecessor', phase: longest.name, feedback: readBody(longest.tail) };
  }
  return undefined;
}

function nameAt({ text, open }: Start, { core, marks, anyCase }: Form, name: string): Found | undefined {
  const written = core(name);
  const lead = marks ? (/^[*_`"'“‘”’<>[\]()]+/u.exec(text)?.[0].length ?? 0) : 0;
  const end = lead + written.length;
  const there = text.slice(lead, end);
  if (written === '' || (anyCase ? there.toLowerCase() !== written.toLowerCase() : there !== written)) return undefined;
  const after = text.slice(end);
  const trail = marks ? (/^[*_`"'“‘”’<>[\]()]+/u.exec(after)?.[0] ?? '') : '';
  const isClosed = open !== '' && trail.endsWith(closersOf(open));
  return { name, tail: closeMarks(after.slice(trail.length), isClosed ? '' : open) };
}

function isClear(tail: string): boolean {
  return CLEAR.test(tail);
}

function isLoose(tail: string): boolean {
  return ANY.test(tail) && !PROSE.test(tail);
}

/** Reads a name that is a JSON string. */
function readQuoted(tail: string): Extract<Decision, { readonly type: 'retryPredecessor' }> | undefined {
  const quoted = /^[^\S\n]*(?:[:：][^\S\n]*)?("(?:[^"\\]|\\.)*")\s*(?:[:：]([^]*))?$/u.exec(tail);
  const phase = quoted?.[1] === undefined ? undefined : jsonString(quoted[1]);
  return phase === undefined
    ? undefined
    : { type: 'retryPredecessor', phase, feedback: readBody(`:${quoted?.[2] ?? ''}`) };
}

/** Reads a name that ends with its line, or at the first colon or dash. */
function readAny(tail: string): Decision | undefined {
  const rest = tail.replace(/^[^\S\n]*[:：]?[^\S\n]*/u, '');
  const line = rest.slice(0, lineEnd(rest));
  const colon = line.search(/[:：]/u);
  const end = colon === -1 ? line.search(/\s[-–—]\s/u) : colon;
  const phase = trimMarks(end === -1 ? line : line.slice(0, end));
  const body = end === -1 ? rest.slice(line.length) : rest.slice(end);
  return phase === '' ? undefined : { type: 'retryPredecessor', phase, feedback: readBody(body) };
}
