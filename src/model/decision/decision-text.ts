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
import { hasControls, withoutCodes } from '../values/plain-text.ts';
import { closeMarks, jsonString, lineEnd, mirror, readBody, writeString } from './decision-syntax.ts';
import type { Decision } from './decision.ts';
import { readPredecessor, spellings } from './target-syntax.ts';
import { verdictAt, type VerdictLine } from './verdict-line.ts';

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
  /**
   * Where a verdict may stand: on any line, or on the first and the last one that have text, without quotes and outside of code
   * fences. Gates that ask again where there is none (`onUnrecognised: 'ask'`) read it at the ends.
   *
   * @default 'anywhere'
   */
  readonly place?: 'anywhere' | 'ends' | undefined;
}

/**
 * Reads a reviewer's text as a decision. Never throws, and takes time in proportion to the text.
 *
 * Keywords are case-insensitive, and only the first colon separates the keyword from what follows, so feedback may
 * contain colons and span lines. Decoration is ignored: emphasis, quotes, code fences, list dashes, a label such as
 * `Verdict:`. The verdict stands on the first line, or on a later line after the reasoning, where the last one counts.
 * An approval on the first line that a later line takes back is not understood.
 *
 * Colours and other codes of terminals are taken out first; a text that has control characters left is not understood.
 * `RETRY_PREDECESSOR` without a name that can be read is a retry, at the ends it is not understood.
 *
 * @returns The decision, or `unrecognised` with the text as it came; what that means is the gate's business.
 *
 * @example Reading a retry
 * ```ts
 * parseDecision('RETRY: cite two sources'); // { type: 'retry', feedback: 'cite two sources' }
 * ```
 */
export function parseDecision(text: string | null | undefined, options: DecisionTextOptions = {}): ParsedDecision {
  return readDecisionText(text, options).decision;
}

/** The same, and whether it is a retry only for want of a phase that can be read. */
export function readDecisionText(
  text: string | null | undefined,
  { phases = [], place = 'anywhere' }: DecisionTextOptions = {},
): { readonly decision: ParsedDecision; readonly isNameless: boolean } {
  const given = typeof text === 'string' ? text : '';
  const plain = withoutCodes(given);
  const verdict = hasControls(plain)
    ? undefined
    : place === 'ends'
      ? readEnds(bare(plain), phases)
      : readAnswer(undress(plain), phases);
  const decision = verdict && decide(verdict, phases);
  return {
    decision: decision ?? { type: 'unrecognised', text: given },
    isNameless: decision !== undefined && verdict?.isNameless === true,
  };
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

/** A verdict, and the code fence that it is the first line of. */
interface Found extends VerdictLine {
  readonly fence?: string | undefined;
}

/** Without what nobody sees: a byte-order mark, space of any kind. */
function bare(text: string): string {
  return text.replace(/^[\s\p{Cf}]+/u, '').trim();
}

/** Removes what wraps a whole answer: also one code fence, one pair of quotes. */
function undress(given: string): string {
  const text = bare(given);
  const fence = /^(?:`{3,}|~{3,})/u.exec(text)?.[0];
  const inner =
    fence !== undefined && text.endsWith(`\n${fence}`) ? text.slice(lineEnd(text), -fence.length).trim() : text;
  const quoted = inner.length > 1 && mirror(inner.charAt(0)) === inner.at(-1) && /^["'“‘]/u.test(inner);
  return jsonString(inner)?.trim() ?? (quoted ? inner.slice(1, -1).trim() : inner);
}

function readAnswer(text: string, phases: readonly string[]): Found | undefined {
  const first = verdictAt(text, 0, phases);
  const later = first === undefined || first.word === 'APPROVE' ? readLaterLine(text, phases) : undefined;
  if (!first) return later;
  // An approval has no body, so another verdict below it contradicts it: better to understand nothing than to guess.
  return later === undefined || later.word === 'APPROVE' ? first : undefined;
}

/** The verdict of the first line, or else of the last; an approval only where no other line contradicts it. */
function readEnds(text: string, phases: readonly string[]): Found | undefined {
  const first = verdictAt(text, 0, phases);
  const start = text.lastIndexOf('\n') + 1;
  const last = start > 0 && !endsInFence(text) ? verdictAt(text, start, phases) : undefined;
  const found = [first, last].find((one) => one && !one.isQuoted && !one.isNameless);
  return found?.word === 'APPROVE' && isContradicted(text, phases) ? undefined : found;
}

/** Whether the last line stands in a code fence, or is the end of one. */
function endsInFence(text: string): boolean {
  let fence = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const marks = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1] ?? '';
    if (fence === '') fence = marks;
    else if (marks.startsWith(fence) && line.trim() === marks) fence = '';
  }
  return fence !== '';
}

function isContradicted(text: string, phases: readonly string[]): boolean {
  for (let end = text.length; end > 0;) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const verdict = verdictAt(text, start, phases);
    if (verdict && verdict.word !== 'APPROVE') return true;
    end = start - 1;
  }
  return false;
}

/** The last formal verdict after the first line, or else the last verdict, with the lines that follow it as its body. */
function readLaterLine(text: string, phases: readonly string[]): Found | undefined {
  let found: Found | undefined;
  for (let end = text.lastIndexOf('\n'); end > 0; end = text.lastIndexOf('\n', end - 1)) {
    const verdict = verdictAt(text, end + 1, phases);
    if (!verdict || (found && !verdict.formal)) continue;
    const above = text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
    found = { ...verdict, fence: /^\s*(`{3,}|~{3,})/u.exec(above)?.[1] };
    if (verdict.formal) break;
  }
  return found;
}

function decide({ word, open, rest, isNameless, fence }: Found, phases: readonly string[]): Decision | undefined {
  const close = fence === undefined ? -1 : rest.indexOf(`\n${fence}`);
  const block = close === -1 ? rest : rest.slice(0, close);
  const tail = closeMarks(block, open);
  switch (isNameless ? 'RETRY' : word) {
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
  const isPlain = readBody(`: ${body}`) === body && withoutCodes(body) === body && !hasControls(`${body}.`);
  return isPlain ? body : writeString(body);
}

function writePredecessor(phase: string, feedback: string, phases: readonly string[]): string {
  const texts = spellings(phase).map((name) => `RETRY_PREDECESSOR ${name}: ${writeBody(feedback)}`);
  const isRead = (text: string): boolean => {
    const read = parseDecision(text, { phases });
    return read.type === 'retryPredecessor' && read.phase === phase && read.feedback === feedback;
  };
  return texts.find(isRead) ?? texts.at(-1) ?? '';
}
