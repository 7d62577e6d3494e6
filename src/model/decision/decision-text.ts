/**
 * Decisions as text: the protocol of models, commands and people.
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

/** Options for reading or writing a decision. */
export interface DecisionTextOptions {
  /**
   * The names of the phases of the pipeline. The longest one that follows `RETRY_PREDECESSOR` literally is the target, whatever
   * characters it has. If none does, emphasis, quotes and case are ignored.
   *
   * @default [] a name ends at the first colon, and is read without emphasis, quotes and brackets at its ends
   */
  readonly phases?: readonly string[] | undefined;
  /**
   * The lines that may have the verdict: any line, or the first and the last non-empty one, without quotes and outside of code
   * fences. Gates that ask again if there is no verdict (`onUnrecognised: 'ask'`) read it at the ends.
   *
   * @default 'anywhere'
   */
  readonly place?: 'anywhere' | 'ends' | undefined;
}

/**
 * Reads a reviewer's text as a decision. Never throws, and takes linear time.
 *
 * Keywords are case-insensitive. Only the first colon separates the keyword from the text after it, so feedback may contain colons
 * and span lines. Decoration is ignored: emphasis, quotes, code fences, list dashes, a label such as `Verdict:`.
 *
 * The verdict is on the first line, or on a later line after the reasoning; of several later ones the last counts. An approval on
 * the first line that a later line contradicts is unrecognised.
 *
 * Colours and other terminal codes are removed first. A text that still has control characters is unrecognised.
 * `RETRY_PREDECESSOR` without a readable name is a retry; with `place: 'ends'` it is unrecognised.
 *
 * @returns The decision, or `unrecognised` with the original text. The gate decides what that means.
 *
 * @example Reading a retry
 * ```ts
 * parseDecision('RETRY: cite two sources'); // { type: 'retry', feedback: 'cite two sources' }
 * ```
 */
export function parseDecision(text: string | null | undefined, options: DecisionTextOptions = {}): ParsedDecision {
  return readDecisionText(text, options).decision;
}

/** Reads a decision like `parseDecision`. `isNameless` is true if it is a retry only because no readable phase is named. */
export function readDecisionText(
  text: string | null | undefined,
  { phases = [], place = 'anywhere' }: DecisionTextOptions = {},
): { readonly decision: ParsedDecision; readonly isNameless: boolean } {
  // The most frequent answer of all.
  if (text === 'APPROVE') return { decision: { type: 'approve' }, isNameless: false };
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
 * Writes a decision as text. `parseDecision` with the same names of phases returns the same type, phase, feedback and reason.
 *
 * Text that would not survive as plain text, such as feedback with spaces at its ends, is written as a JSON string.
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

/** A verdict, and the code fence whose first line it is. */
interface Found extends VerdictLine {
  readonly fence?: string | undefined;
}

/** Removes invisible characters at the start (byte-order mark, format characters) and spaces at both ends. */
function bare(text: string): string {
  return text.replace(/^[\s\p{Cf}]+/u, '').trim();
}

/** Removes the wrapping of a whole answer: one code fence, one pair of quotes. */
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
  // An approval has no body, so another verdict below it contradicts it: the text is unrecognised rather than guessed.
  return later === undefined || later.word === 'APPROVE' ? first : undefined;
}

/** Reads the verdict of the first line, or else of the last. An approval only counts if no other line contradicts it. */
function readEnds(text: string, phases: readonly string[]): Found | undefined {
  const first = verdictAt(text, 0, phases);
  const start = text.lastIndexOf('\n') + 1;
  const last = start > 0 && !endsInFence(text) ? verdictAt(text, start, phases) : undefined;
  const found = [first, last].find((one) => one && !one.isQuoted && !one.isNameless);
  return found?.word === 'APPROVE' && isContradicted(text, phases) ? undefined : found;
}

/** True if the last line is inside a code fence, or closes one. */
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

/** Reads the last formal verdict after the first line, or else the last verdict, with the lines that follow it as its body. */
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
