/**
 * Decisions as text, the protocol that models, commands and people speak.
 *
 * ```text
 *   APPROVE
 *   RETRY: <feedback>
 *   RETRY_PREDECESSOR <phase>: <feedback>
 *   REJECT: <reason>
 *   ESCALATE: <reason>
 * ```
 *
 * @module
 */
import type { Decision } from './decision.ts';

/** The outcome of reading a reviewer's text. */
export type ParsedDecision = Decision | { readonly type: 'unrecognised'; readonly text: string };

/**
 * Reads a reviewer's text as a decision. Never throws, and takes time in proportion to the text.
 *
 * Keywords are case-insensitive, and only the first colon separates the keyword from what follows, so feedback may
 * contain colons and span lines. Decoration is ignored: emphasis, quotes, code fences, list dashes, a label such as
 * `Verdict:`. The verdict stands on the first line, or on a later line after the reasoning, where the last one counts.
 * An approval on the first line that a later line takes back is not understood.
 *
 * @returns The decision, or `unrecognised` with the text as it came; what that means is the gate's business.
 *
 * @example Reading a retry
 * ```ts
 * parseDecision('RETRY: cite two sources'); // { type: 'retry', feedback: 'cite two sources' }
 * ```
 */
export function parseDecision(text: string | null | undefined): ParsedDecision {
  const given = typeof text === 'string' ? text : '';
  return readAnswer(undress(given)) ?? { type: 'unrecognised', text: given };
}

/**
 * Writes a decision as text, such that `parseDecision` gives the same type, phase, feedback and reason again.
 *
 * Text that would not survive as it stands, such as feedback with spaces at its ends, is written as a JSON string.
 * The fields of a structured verdict (`confidence`, `score`, `requiredChange`) have no place in the text protocol.
 */
export function formatDecision(decision: Decision): string {
  switch (decision.type) {
    case 'approve':
      return 'APPROVE';
    case 'retry':
      return `RETRY: ${writeBody(decision.feedback)}`;
    case 'retryPredecessor':
      return `RETRY_PREDECESSOR ${writeName(decision.phase)}: ${writeBody(decision.feedback)}`;
    case 'reject':
      return `REJECT: ${writeBody(decision.reason)}`;
    case 'escalate':
      return `ESCALATE: ${writeBody(decision.reason)}`;
  }
}

// --- internal ---

const GAP = String.raw`[^\S\n]`;
const MARKS = String.raw`[*_\x60"'“‘]{0,8}`;

/** In front of everything: list dash or number, ticked box, quote mark, heading, arrow, picture. */
const LEAD = String.raw`(?:(?:[-*+>•→]|=>|\d+[.)]|#{1,6}|\[x\]|\p{Extended_Pictographic}\uFE0F?)${GAP}+)*`;
const LABEL =
  String.raw`(?:(?:my|our|the)${GAP}+)?(?:(?:final|overall|review|gate)${GAP}+)?` +
  '(?:verdict|decision|answer|result|recommendation|outcome|conclusion)' +
  String.raw`(?<closed>[*_]*)${GAP}*(?:(?:is${GAP}*)?[:=：]|[-–—](?=\s)|is(?=\s))(?<closedLate>[*_]*)${GAP}*`;
const KEYWORD = String.raw`RETRY(?:\\?_|-|${GAP})PREDECESSOR|RETRY|APPROVED?|REJECT(?:ED)?|ESCALATED?`;

/** The head of a line that may be a verdict, up to the keyword. No two repetitions in it compete for the same text. */
const HEAD = new RegExp(
  `${GAP}*${LEAD}(?:(?<outer>${MARKS})(?<label>${LABEL}))?(?<inner>${MARKS})(?<keyword>${KEYWORD})(?!_?[\\p{L}\\p{N}])`,
  'iuy',
);

/** Words after a keyword that make it the subject of a sentence: `RETRY is not needed`. */
const PROSE =
  /^\s*(?:is|isn['’]t|was|wasn['’]t|or|if|would|should|could|may|might|nothing|(?:not|no longer) (?:needed|necessary|required|warranted|justified))(?![\p{L}\p{N}])/iu;

/** A line that is a verdict, and the text behind its keyword. */
interface Verdict {
  readonly word: 'APPROVE' | 'RETRY' | 'RETRY_PREDECESSOR' | 'REJECT' | 'ESCALATE';
  /** In capitals or behind a label: more than a word that a sentence happens to begin with. */
  readonly formal: boolean;
  /** Marks that are open at the keyword. */
  readonly open: string;
  readonly rest: string;
}

/** Removes what wraps a whole answer: a byte-order mark, space of any kind, one code fence, one pair of quotes. */
function undress(text: string): string {
  const bare = text.replace(/^[\s\p{Cf}]+/u, '').trim();
  const fence = /^(?:`{3,}|~{3,})/u.exec(bare)?.[0];
  const inner =
    fence !== undefined && bare.endsWith(`\n${fence}`) ? bare.slice(lineEnd(bare), -fence.length).trim() : bare;
  const quoted = inner.length > 1 && mirror(inner.charAt(0)) === inner.at(-1) && /^["'“‘]/u.test(inner);
  return jsonString(inner)?.trim() ?? (quoted ? inner.slice(1, -1).trim() : inner);
}

function readAnswer(text: string): Decision | undefined {
  const first = verdictAt(text, 0);
  const later = first === undefined || first.word === 'APPROVE' ? readLaterLine(text) : undefined;
  if (!first) return later;
  // An approval has no body, so another verdict below it contradicts it: better to understand nothing than to guess.
  return later === undefined || later.type === 'approve' ? decide(first) : undefined;
}

/** The last formal verdict after the first line, or else the last verdict, with the lines that follow it as its body. */
function readLaterLine(text: string): Decision | undefined {
  let found: Decision | undefined;
  for (let end = text.lastIndexOf('\n'); end > 0; end = text.lastIndexOf('\n', end - 1)) {
    const verdict = verdictAt(text, end + 1);
    if (!verdict || (found && !verdict.formal)) continue;
    const above = text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
    found = decide(verdict, /^\s*(`{3,}|~{3,})/u.exec(above)?.[1]);
    if (verdict.formal) break;
  }
  return found;
}

/** The verdict on the line that begins at an index, if there is one. Looks at that line only. */
function verdictAt(text: string, index: number): Verdict | undefined {
  HEAD.lastIndex = index;
  const groups = HEAD.exec(text)?.groups;
  if (!groups) return undefined;
  const { outer = '', label, closed = '', closedLate = '', inner = '', keyword = '' } = groups;
  const open = closed + closedLate === '' ? outer + inner : inner;
  const rest = text.slice(HEAD.lastIndex);
  const formal = label !== undefined || keyword === keyword.toUpperCase();
  const line = closeMarks(rest.slice(0, lineEnd(rest)), open);
  return isVerdict(keyword.toUpperCase(), line, formal, index === 0)
    ? { word: wordOf(keyword.toUpperCase()), formal, open, rest }
    : undefined;
}

/** Whether the rest of its line lets a keyword be a verdict: nothing, a separator, or, where allowed, plain words. */
function isVerdict(keyword: string, line: string, formal: boolean, first: boolean): boolean {
  if (wordOf(keyword) === 'RETRY_PREDECESSOR') {
    return (!/\s/u.test(keyword) || /[:：]/u.test(line)) && readPredecessor(line) !== undefined;
  }
  if (keyword === 'APPROVE' && /^[\s:：,-]*(?:no|false|never)\P{L}*$/iu.test(line)) return false;
  if (/^\s*[:：]/u.test(line) || /^(?:[.!,;]|\s+[-–—(])/u.test(line)) return true;
  if (/^[\s\p{P}\p{S}\p{Cf}]*$/u.test(line)) return !line.includes('?');
  if (keyword === 'APPROVE' || keyword.endsWith('ED') || !/^\s/u.test(line) || PROSE.test(line)) return false;
  return formal || (first && !line.includes('?'));
}

function wordOf(keyword: string): Verdict['word'] {
  const word = (['APPROVE', 'REJECT', 'ESCALATE'] as const).find((one) => keyword.startsWith(one));
  return word ?? (keyword === 'RETRY' ? 'RETRY' : 'RETRY_PREDECESSOR');
}

/** @param fence The code fence that the verdict is the first line of. */
function decide({ word, open, rest }: Verdict, fence?: string): Decision | undefined {
  const close = fence === undefined ? -1 : rest.indexOf(`\n${fence}`);
  const tail = closeMarks(close === -1 ? rest : rest.slice(0, close), open);
  switch (word) {
    case 'APPROVE':
      return { type: 'approve' };
    case 'RETRY':
      return { type: 'retry', feedback: readBody(tail) };
    case 'RETRY_PREDECESSOR':
      return readPredecessor(tail);
    case 'REJECT':
      return { type: 'reject', reason: readBody(tail) };
    case 'ESCALATE':
      return { type: 'escalate', reason: readBody(tail) };
  }
}

/** Takes out the marks that close what was opened: behind the keyword, around the first colon, or at an end. */
function closeMarks(rest: string, open: string): string {
  const runs = open.match(/(.)\1*/gu) ?? [];
  return runs.reduceRight((tail, run) => {
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

function readPredecessor(tail: string): Decision | undefined {
  const quoted = /^[^\S\n]*(?:[:：][^\S\n]*)?("(?:[^"\\]|\\.)*")\s*(?:[:：]([^]*))?$/u.exec(tail);
  const name = quoted?.[1] === undefined ? undefined : jsonString(quoted[1]);
  if (name !== undefined) return { type: 'retryPredecessor', phase: name, feedback: readBody(`:${quoted?.[2] ?? ''}`) };
  const rest = tail.replace(/^[^\S\n]*[:：]?[^\S\n]*/u, '');
  const line = rest.slice(0, lineEnd(rest));
  const colon = line.search(/[:：]/u);
  const end = colon === -1 ? line.search(/\s[-–—]\s/u) : colon;
  const phase = trimMarks(end === -1 ? line : line.slice(0, end));
  const body = end === -1 ? rest.slice(line.length) : rest.slice(end);
  return phase === '' ? undefined : { type: 'retryPredecessor', phase, feedback: readBody(body) };
}

/** What follows a keyword, without the one separator. */
function readBody(tail: string): string {
  const body = tail.replace(/^[^\S\n]*(?:[:：]|[.!,;](?=\s|$)|[-–—](?=\s))?/u, '').trim();
  return jsonString(body) ?? body;
}

function writeBody(body: string): string {
  return readBody(`: ${body}`) === body ? body : JSON.stringify(body);
}

function writeName(name: string): string {
  const read = readPredecessor(` ${name}: `);
  return read?.type === 'retryPredecessor' && read.phase === name ? name : JSON.stringify(name);
}

/** Without emphasis, quotes, brackets and spaces at both ends. */
function trimMarks(name: string): string {
  const marks = /[\s*_`"'“‘”’<>[\]()]/u;
  let [start, end] = [0, name.length];
  while (start < end && marks.test(name.charAt(start))) start++;
  while (end > start && marks.test(name.charAt(end - 1))) end--;
  return name.slice(start, end);
}

function mirror(mark: string): string {
  return mark === '“' ? '”' : mark === '‘' ? '’' : mark;
}

function jsonString(text: string): string | undefined {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function lineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}
