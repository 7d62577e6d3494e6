/**
 * Lines that are verdicts.
 *
 * @module
 */
import { closeMarks, lineEnd, PROSE } from './decision-syntax.ts';
import { hasPredecessor } from './target-syntax.ts';

/** A line that is a verdict, and the text behind its keyword. */
export interface VerdictLine {
  readonly word: 'APPROVE' | 'RETRY' | 'RETRY_PREDECESSOR' | 'REJECT' | 'ESCALATE';
  /** In capitals or behind a label: more than a word that a sentence happens to begin with. */
  readonly formal: boolean;
  /** Marks that are open at the keyword. */
  readonly open: string;
  readonly rest: string;
  /** Whether it stands in quotes, in a quotation, or where code stands. */
  readonly isQuoted: boolean;
  /** Whether it sends back a phase and does not name one that can be read. */
  readonly isNameless: boolean;
}

/** The verdict on the line that begins at an index, if there is one. Looks at that line only. */
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
    // In two words it is one only where more speaks for it.
    return isJoined || (!isNameless && /[:：]/u.test(line)) ? { word, ...shared, isNameless } : undefined;
  }
  const isOne = isVerdict(keyword.toUpperCase(), closeMarks(line, open), formal, index === 0);
  return isOne ? { word, ...shared, isNameless: false } : undefined;
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

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}

/** Quotes, quotation marks of lines, and what indents code. A quote behind the keyword closes one that began on a line before. */
function isQuoted(lead: string, marks: string, line: string): boolean {
  const quotes =
    lead.replaceAll('=>', '').includes('>') || /[\x60"'“‘]/u.test(marks) || /^[*_.!]*["'”’\x60]/u.test(line);
  return quotes || /^(?: {4}|\t)/u.test(lead);
}

/** Whether the rest of its line lets a keyword be a verdict: nothing, a separator, or, where allowed, plain words. */
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
