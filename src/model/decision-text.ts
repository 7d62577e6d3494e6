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
 * Reads a reviewer's text as a decision. Never throws.
 *
 * Keywords are case-insensitive, and only the first colon separates the keyword from what follows, so feedback may
 * contain colons and span lines. Decoration is ignored: emphasis, quotes, code fences, list dashes, a label such as
 * `Verdict:`. The verdict stands on the first line, or on a later line after the reasoning.
 *
 * @returns The decision, or `unrecognised` with the text as it came; what that means is the gate's business.
 *
 * @example Reading a retry
 * ```ts
 * parseDecision('RETRY: cite two sources'); // { type: 'retry', feedback: 'cite two sources' }
 * ```
 */
export function parseDecision(text: string | null | undefined): ParsedDecision {
  const given = text ?? '';
  return readFirstLine(undress(given)) ?? readLaterLine(undress(given)) ?? { type: 'unrecognised', text: given };
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
      return `RETRY: ${quoteBody(decision.feedback)}`;
    case 'retryPredecessor':
      return `RETRY_PREDECESSOR ${quoteName(decision.phase)}: ${quoteBody(decision.feedback)}`;
    case 'reject':
      return `REJECT: ${quoteBody(decision.reason)}`;
    case 'escalate':
      return `ESCALATE: ${quoteBody(decision.reason)}`;
  }
}

// --- internal ---

/** Decoration in front of a verdict: list dash or number, quote mark, heading, emphasis, backticks, quotes. */
const LEAD = String.raw`(?:(?:[-*+>•]|\d+[.)]|#{1,6})[^\S\n]+)*`;
const LABEL = String.raw`(?:[*_]{0,3}(?:final[^\S\n]+)?(?:verdict|decision|answer|result)[*_]{0,3}[^\S\n]*[:=][*_]{0,3}[^\S\n]*)?`;
const OPEN = '(?<open>[*_`~"\'“‘]*)';
const KEYWORD = '(?<keyword>APPROVE|RETRY[_-]PREDECESSOR|RETRY|REJECT|ESCALATE)';
const CLOSE = '(?<close>[*_`~"\'”’]*)';

const VERDICT = new RegExp(`^${LEAD}${LABEL}${OPEN}${KEYWORD}(?![\\p{L}\\p{N}_])${CLOSE}(?<rest>[^]*)$`, 'iu');

/** Removes what wraps a whole answer: a byte-order mark, space of any kind, one code fence, one pair of quotes. */
function undress(text: string): string {
  let bare = text.trim();
  const fence = /^(`{3,}|~{3,})[^\n]*\n([^]*?)\n?[^\S\n]*\1$/u.exec(bare);
  if (fence?.[2] !== undefined) bare = fence[2].trim();
  const quoted = /^(?:"([^]*)"|'([^]*)'|“([^]*)”|‘([^]*)’)$/u.exec(bare);
  return (quoted?.slice(1).find((inner) => inner !== undefined) ?? bare).trim();
}

function readFirstLine(text: string): Decision | undefined {
  const decision = readVerdict(text, true);
  // An approval has no body, so a second verdict below it contradicts it: better to understand nothing than to guess.
  if (decision?.type === 'approve' && readLaterLine(text.slice(firstLineEnd(text))) !== undefined) return undefined;
  return decision;
}

/** The last line that is a verdict beyond doubt, with the lines that follow it as its body. */
function readLaterLine(text: string): Decision | undefined {
  const lines = text.split('\n');
  for (let index = lines.length - 1; index >= 0; index--) {
    const decision = readVerdict(lines.slice(index).join('\n').trim(), false);
    if (decision) return decision;
    if (lines.length - index > LATER_LINES) return undefined;
  }
  return undefined;
}

/** How far from the end a later verdict is looked for, in lines, so that a huge answer is read in linear time. */
const LATER_LINES = 200;

/** @param first Whether the text begins the answer: only there `RETRY need depth` is a verdict without its colon. */
function readVerdict(text: string, first: boolean): Decision | undefined {
  const groups = VERDICT.exec(text)?.groups;
  if (!groups) return undefined;
  const { keyword = '', open = '', close = '', rest = '' } = groups;
  const dressed = open !== '' && close === '';
  const tail = dressed ? undressEnd(rest, open) : rest;
  const word = keyword.toUpperCase().replace('-', '_');
  if (!isSeparated(word, tail, first || keyword === keyword.toUpperCase())) return undefined;
  switch (word) {
    case 'APPROVE':
      return { type: 'approve' };
    case 'RETRY':
      return { type: 'retry', feedback: bodyOf(tail) };
    case 'RETRY_PREDECESSOR':
      return readPredecessor(tail);
    case 'REJECT':
      return { type: 'reject', reason: bodyOf(tail) };
    default:
      return { type: 'escalate', reason: bodyOf(tail) };
  }
}

/** Whether what follows a keyword lets it be a verdict: nothing, a separator, or, where allowed, plain words. */
function isSeparated(word: string, tail: string, wordsAllowed: boolean): boolean {
  if (/^\s*$/u.test(tail) || /^[^\S\n]*[:\n]/u.test(tail)) return true;
  if (word === 'RETRY_PREDECESSOR') return /^[^\S\n]+\S/u.test(tail);
  if (/^(?:[.!,;]|[^\S\n]+[-–—(])/u.test(tail)) return true;
  return word !== 'APPROVE' && wordsAllowed && /^[^\S\n]/u.test(tail);
}

/** Closing marks that mirror the opening ones go from the end of the first line, or of the whole text. */
function undressEnd(rest: string, open: string): string {
  const mirrored = [...open].reverse().join('').replace('“', '”').replace('‘', '’');
  const line = rest.slice(0, firstLineEnd(rest));
  if (line.trimEnd().endsWith(mirrored)) return line.trimEnd().slice(0, -mirrored.length) + rest.slice(line.length);
  return rest.trimEnd().endsWith(mirrored) ? rest.trimEnd().slice(0, -mirrored.length) : rest;
}

function readPredecessor(tail: string): Decision | undefined {
  const quoted = /^\s*("(?:[^"\\]|\\.)*")\s*(?::([^]*))?$/u.exec(tail);
  if (quoted?.[1] !== undefined) {
    const phase = jsonString(quoted[1]);
    if (phase !== undefined) return { type: 'retryPredecessor', phase, feedback: bodyOf(`:${quoted[2] ?? ''}`) };
  }
  const [, name = '', body = ''] = /^[^\S\n]*:?([^:\n]*)(?::([^]*)|\n[^]*)?$/u.exec(tail) ?? [];
  const phase = name
    .trim()
    .replace(/^[*_`~"'“‘<[]+|[*_`~"'”’>\]]+$/gu, '')
    .trim();
  return phase === '' ? undefined : { type: 'retryPredecessor', phase, feedback: bodyOf(`:${body}`) };
}

/** What follows a keyword, without the one separator. */
function bodyOf(tail: string): string {
  const body = tail.replace(/^\s*(?::|[.!,;](?=\s|$)|[-–—](?=\s))?/u, '').trim();
  return jsonString(body) ?? body;
}

function quoteBody(body: string): string {
  return body === body.trim() && jsonString(body) === undefined ? body : JSON.stringify(body);
}

function quoteName(name: string): string {
  return /^[\p{L}\p{N}](?:[^:"\n\\]*[\p{L}\p{N}])?$/u.test(name) ? name : JSON.stringify(name);
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

function firstLineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}
