/**
 * Recognition of lines that are verdicts.
 *
 * @module
 */
import { closeMarks, lineEnd, PROSE } from './decision-syntax.ts';
import { hasPredecessor } from './target-syntax.ts';

/** A line that is a verdict, and the text after its keyword. */
export interface VerdictLine {
  readonly word: 'APPROVE' | 'RETRY' | 'RETRY_PREDECESSOR' | 'REJECT' | 'ESCALATE';
  /** True if in capitals or after a label, so that it is not just a word at the start of a sentence. */
  readonly formal: boolean;
  /** Marks that are open at the keyword. */
  readonly open: string;
  readonly rest: string;
  /** True if in quotes, in a quotation, or in indented code. */
  readonly isQuoted: boolean;
  /** True if it sends back a phase without a readable name. */
  readonly isNameless: boolean;
}

/** Returns the verdict on the line that begins at an index, if there is one. Reads only that line. */
export function verdictAt(text: string, index: number, phases: readonly string[]): VerdictLine | undefined {
  const lead = matchAt(HEAD.lead, text, index)?.[0] ?? '';
  const begin = index + lead.length;
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
  const shared = { formal, open, rest, isQuoted: isQuoted(lead, marks + inner, line) };
  if (word === 'RETRY_PREDECESSOR') {
    const isJoined = !/\s/u.test(keyword);
    const isNameless = !hasPredecessor(line, open, phases);
    // Written as two words, it needs a readable name and a colon to be a verdict.
    return isJoined || (!isNameless && /[:：]/u.test(line)) ? { word, ...shared, isNameless } : undefined;
  }
  const isOne = isVerdict(keyword.toUpperCase(), closeMarks(line, open), formal, index === 0);
  return isOne ? { word, ...shared, isNameless: false } : undefined;
}

// --- internal ---

const GAP = String.raw`[^\S\n]`;
const MARKS = String.raw`[*_\x60"'“‘]{0,8}`;

/** Decoration at the start of a line: list dash or number, ticked box, quote mark, heading, arrow, emoji. */
const LEAD = String.raw`${GAP}*(?:(?:[-*+>•→]|=>|\d+[.)]|#{1,6}|\[[xX]\]|\p{Extended_Pictographic}\uFE0F?)${GAP}+)*`;
const LABEL =
  String.raw`(?:(?:my|our|the)${GAP}+)?(?:(?:final|overall|review|gate)${GAP}+)?` +
  '(?:verdict|decision|answer|result|recommendation|outcome|conclusion)' +
  String.raw`(?<closed>[*_]*)${GAP}*(?:(?:is${GAP}*)?[:=：](?<closedLate>[*_]*)${GAP}*|(?:[-–—]|is)${GAP}+)`;
const KEYWORD = String.raw`RETRY(?:\\?_|-|${GAP})PREDECESSOR|RETRY|APPROVED?|REJECT(?:ED)?|ESCALATED?`;

/** Patterns of a verdict line up to its keyword; each begins where the one before ends. */
const HEAD = {
  lead: new RegExp(LEAD, 'uy'),
  outer: new RegExp(MARKS, 'uy'),
  label: new RegExp(LABEL, 'iuy'),
  keyword: new RegExp(`(?<inner>${MARKS})(?<keyword>${KEYWORD})(?!_?[\\p{L}\\p{N}])`, 'iuy'),
};

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}

/** True in quotes, in a quoted line, or in indented code. A quote after the keyword closes one from an earlier line. */
function isQuoted(lead: string, marks: string, line: string): boolean {
  const quotes =
    lead.replaceAll('=>', '').includes('>') || /[\x60"'“‘]/u.test(marks) || /^[*_.!]*["'”’\x60]/u.test(line);
  return quotes || /^(?: {4}|\t)/u.test(lead);
}

/** True if the rest of its line lets a keyword be a verdict: nothing, a separator, or, if allowed, plain words. */
function isVerdict(keyword: string, line: string, formal: boolean, first: boolean): boolean {
  if (keyword === 'APPROVE' && /^[\s:：,-]*(?:no|false|never)\P{L}*$/iu.test(line)) return false;
  if (/^\s*[:：]/u.test(line) || /^(?:[.!,;]|\s+[-–—(])/u.test(line)) return true;
  if (/^[\s\p{P}\p{S}\p{Cf}]*$/u.test(line)) return !line.includes('?');
  if (keyword === 'APPROVE' || keyword.endsWith('ED') || !/^\s/u.test(line) || PROSE.test(line)) return false;
  return formal || (first && !line.includes('?'));
}

function wordOf(keyword: string): VerdictLine['word'] {
  const word = (['APPROVE', 'REJECT', 'ESCALATE'] as const).find((one) => keyword.startsWith(one));
  return word ?? (keyword === 'RETRY' ? 'RETRY' : 'RETRY_PREDECESSOR');
}
