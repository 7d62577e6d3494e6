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
import { closeMarks, jsonString, lineEnd, mirror, PROSE, readBody } from './answer-text.ts';
import type { Decision } from './decision.ts';
import { hasPredecessor, readPredecessor, spellings } from './predecessor-text.ts';

/** The outcome of reading a reviewer's text. */
export type ParsedDecision = Decision | { readonly type: 'unrecognised'; readonly text: string };

/** What is known about a decision before it is read or written. */
export interface DecisionTextOptions {
  /**
   * The names of the phases of the pipeline. The longest one that stands behind `RETRY_PREDECESSOR` as it is is meant,
   * whatever is in it; emphasis, quotes and other case around a name are ignored where there is none.
   *
   * @default [] a name ends at the first colon, and is read without emphasis, quotes and brackets at its ends
   */
  readonly phases?: readonly string[] | undefined;
}

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
export function parseDecision(
  text: string | null | undefined,
  { phases = [] }: DecisionTextOptions = {},
): ParsedDecision {
  const given = typeof text === 'string' ? text : '';
  return readAnswer(undress(given), phases) ?? { type: 'unrecognised', text: given };
}

/**
 * Writes a decision as text, such that `parseDecision` with the same names of phases gives the same type, phase,
 * feedback and reason again.
 *
 * Text that would not survive as it stands, such as feedback with spaces at its ends, is written as a JSON string.
 * The fields of a structured verdict (`confidence`, `score`, `requiredChange`) have no place in the text protocol.
 */
export function formatDecision(decision: Decision, { phases = [] }: DecisionTextOptions = {}): string {
  switch (decision.type) {
    case 'approve':
      return 'APPROVE';
    case 'retry':
      return `RETRY: ${writeBody(decision.feedback)}`;
    case 'retryPredecessor':
      return writePredecessor(decision.phase, decision.feedback, phases);
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
const LEAD = String.raw`${GAP}*(?:(?:[-*+>•→]|=>|\d+[.)]|#{1,6}|\[[xX]\]|\p{Extended_Pictographic}\uFE0F?)${GAP}+)*`;
const LABEL =
  String.raw`(?:(?:my|our|the)${GAP}+)?(?:(?:final|overall|review|gate)${GAP}+)?` +
  '(?:verdict|decision|answer|result|recommendation|outcome|conclusion)' +
  String.raw`(?<closed>[*_]*)${GAP}*(?:(?:is${GAP}*)?[:=：](?<closedLate>[*_]*)${GAP}*|(?:[-–—]|is)${GAP}+)`;
const KEYWORD = String.raw`RETRY(?:\\?_|-|${GAP})PREDECESSOR|RETRY|APPROVED?|REJECT(?:ED)?|ESCALATED?`;

/** The parts of the head of a line that may be a verdict, up to the keyword; each goes on where the one before ends. */
const HEAD = {
  lead: new RegExp(LEAD, 'uy'),
  outer: new RegExp(MARKS, 'uy'),
  label: new RegExp(LABEL, 'iuy'),
  keyword: new RegExp(`(?<inner>${MARKS})(?<keyword>${KEYWORD})(?!_?[\\p{L}\\p{N}])`, 'iuy'),
};

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

function readAnswer(text: string, phases: readonly string[]): Decision | undefined {
  const first = verdictAt(text, 0, phases);
  const later = first === undefined || first.word === 'APPROVE' ? readLaterLine(text, phases) : undefined;
  if (!first) return later;
  // An approval has no body, so another verdict below it contradicts it: better to understand nothing than to guess.
  return later === undefined || later.type === 'approve' ? decide(first, phases) : undefined;
}

/** The last formal verdict after the first line, or else the last verdict, with the lines that follow it as its body. */
function readLaterLine(text: string, phases: readonly string[]): Decision | undefined {
  let found: Decision | undefined;
  for (let end = text.lastIndexOf('\n'); end > 0; end = text.lastIndexOf('\n', end - 1)) {
    const verdict = verdictAt(text, end + 1, phases);
    if (!verdict || (found && !verdict.formal)) continue;
    const above = text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
    found = decide(verdict, phases, /^\s*(`{3,}|~{3,})/u.exec(above)?.[1]);
    if (verdict.formal) break;
  }
  return found;
}

/** The verdict on the line that begins at an index, if there is one. Looks at that line only. */
function verdictAt(text: string, index: number, phases: readonly string[]): Verdict | undefined {
  const begin = index + (matchAt(HEAD.lead, text, index)?.[0].length ?? 0);
  const marks = matchAt(HEAD.outer, text, begin)?.[0] ?? '';
  const label = matchAt(HEAD.label, text, begin + marks.length);
  const start = label ? begin + marks.length + label[0].length : begin;
  const head = matchAt(HEAD.keyword, text, start);
  if (!head) return undefined;
  const outer = label ? marks : '';
  const { closed = '', closedLate = '' } = label?.groups ?? {};
  const { inner = '', keyword = '' } = head.groups ?? {};
  const open = closed + closedLate === '' ? outer + inner : inner;
  const rest = text.slice(start + head[0].length);
  const formal = label !== undefined || keyword === keyword.toUpperCase();
  const word = wordOf(keyword.toUpperCase());
  const line = rest.slice(0, lineEnd(rest));
  const isOne =
    word === 'RETRY_PREDECESSOR'
      ? (!/\s/u.test(keyword) || /[:：]/u.test(line)) && hasPredecessor(line, open, phases)
      : isVerdict(keyword.toUpperCase(), closeMarks(line, open), formal, index === 0);
  return isOne ? { word, formal, open, rest } : undefined;
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}

/** Whether the rest of its line lets a keyword be a verdict: nothing, a separator, or, where allowed, plain words. */
function isVerdict(keyword: string, line: string, formal: boolean, first: boolean): boolean {
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
function decide({ word, open, rest }: Verdict, phases: readonly string[], fence?: string): Decision | undefined {
  const close = fence === undefined ? -1 : rest.indexOf(`\n${fence}`);
  const block = close === -1 ? rest : rest.slice(0, close);
  const tail = closeMarks(block, open);
  switch (word) {
    case 'APPROVE':
      return { type: 'approve' };
    case 'RETRY':
      return { type: 'retry', feedback: readBody(tail) };
    case 'RETRY_PREDECESSOR':
      return readPredecessor(block, open, phases);
    case 'REJECT':
      return { type: 'reject', reason: readBody(tail) };
    case 'ESCALATE':
      return { type: 'escalate', reason: readBody(tail) };
  }
}

function writeBody(body: string): string {
  return readBody(`: ${body}`) === body ? body : JSON.stringify(body);
}

function writePredecessor(phase: string, feedback: string, phases: readonly string[]): string {
  const texts = spellings(phase).map((name) => `RETRY_PREDECESSOR ${name}: ${writeBody(feedback)}`);
  const isRead = (text: string): boolean => {
    const read = parseDecision(text, { phases });
    return read.type === 'retryPredecessor' && read.phase === phase && read.feedback === feedback;
  };
  return texts.find(isRead) ?? texts.at(-1) ?? '';
}
