/**
 * Inbox items as lines.
 *
 * @module
 */
import { counted } from '../../model/values/counts.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { Choice } from '../../projections/inbox/item-choices.ts';
import type { TriedAttempt } from '../../projections/inbox/item-detail.ts';
import { unchangedText } from '../../projections/run/loop-words.ts';
import { usageText } from '../../projections/wording/amount-words.ts';
import { becauseOf, waitsFor } from '../../projections/wording/item-words.ts';
import { endText } from '../../projections/wording/sequel-words.ts';
import { statusMarks } from '../../projections/wording/status-marks.ts';
import type { KeptDetail, KeptItem } from '../../store/pending-answers.ts';
import { givenText } from '../inbox/pending-answer.ts';
import { plain, span, type Line, type Tone } from '../terminal/line.ts';
import { cut, duration, manyLines, oneLine, padEnd, widthOf, reasonText } from '../terminal/text.ts';
import { attemptName } from './attempt-lines.ts';
import { correctionText, verdictText } from './event-lines.ts';
import { findingLines } from './issue-lines.ts';
import { excerptLines } from './excerpt.ts';
import { refusalLines } from './refusal-lines.ts';

/** Details of an item, as they are shown. */
export interface ShownDetail extends KeptDetail {
  /** The time at which a deadline ends its run, in milliseconds since 1970; absent if there is none. */
  readonly runEndsAt?: number | undefined;
}

/** Creates a head and a line for each item; a single line if there are no items. @param now Milliseconds since 1970. */
export function itemTable(items: readonly KeptItem[], now: number): readonly Line[] {
  if (items.length === 0) return [[span('no items', 'dim')]];
  const rows = items.map((item) => cellsOf(item, now));
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => widthOf(row[column] ?? ''))));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : padEnd(cell, (widths[column] ?? 0) + 2)))
      .join('');
  return [
    [span(line(HEAD), 'dim')],
    ...items.map((item, index): Line => [span(line(rows[index] ?? []), toneOf(item))]),
  ];
}

/** Describes one item. @param now Milliseconds since 1970. @param waits A text about the wait of a pending answer; empty if there is none. */
export function itemLines(detail: ShownDetail, now: number, waits = ''): readonly Line[] {
  const { item, attempts, corrections, findings, reach, changes, used, phaseUsed, choices } = detail;
  return [
    [span(`${statusMarks.waiting.mark} ${titleOf(item)}`, 'strong')],
    [span('  because: ', 'dim'), span(oneLine(becauseOf(item)))],
    ...textLines(reasonText(item.reason)),
    ...textLines(item.description ?? ''),
    ...refusalLines(item, '  '),
    ...factsOf(detail, now),
    ...inputLines(detail),
    ...attempts.flatMap((one, index) => attemptLines(one, index === attempts.length - 1)),
    ...(corrections.length > 0 ? [[span('corrections so far:', 'dim')]] : []),
    ...corrections.map(({ from, to, feedback, requiredChange }): Line => {
      const text = correctionText({ feedback, requiredChange });
      const who = to === undefined ? oneLine(from) : `${oneLine(from)}, of ${oneLine(to)}`;
      return [span(`  ${who}: ${cut(text, LONGEST)}`)];
    }),
    ...findingLines(findings, item.about, reach),
    ...Object.entries(changes).flatMap(([task, patch]) => diffLines(task, patch)),
    // Usage of the phase is part of the usage of the run.
    ...(usageText(used) === ''
      ? []
      : [[span(`used: ${usageText(phaseUsed) || 'nothing'} by the phase, ${usageText(used)} by the run`, 'dim')]]),
    ...(item.closedAt === undefined && !item.answer ? choices.flatMap(choiceLines) : []),
    ...(item.answer ? [[span(givenText(item.answer), 'warn')], ...textLines(waits)] : []),
  ];
}

// --- internal ---

const HEAD = ['item', 'queue', 'since', 'due', 'about', 'asks'];
/** The most columns of one line. */
const LONGEST = 100;
const MOST_CHANGES = 40;
const MOST_INPUTS = 10;
/** The flag that shows all of an item. */
const ALL = '--json';

function cellsOf(item: KeptItem, now: number): readonly string[] {
  const { id, queue, severity, openedAt, closedAt, dueAt, outcome = 'closed', reason, answer } = item;
  const due = dueAt === undefined || closedAt !== undefined ? '-' : dueAt > now ? `in ${duration(dueAt - now)}` : 'now';
  return [
    oneLine(id),
    severity === 'normal' ? oneLine(queue) : `${oneLine(queue)} (${severity})`,
    `${duration(Math.max(0, now - openedAt))} ago`,
    due,
    cut(aboutOf(item), 40),
    cut(answer ? givenText(answer) : oneLine(reasonText(closedAt === undefined ? reason : outcome)), LONGEST),
  ];
}

function toneOf({ closedAt, severity, answer }: KeptItem): Tone {
  if (closedAt !== undefined || answer) return 'dim';
  return severity === 'urgent' ? 'bad' : severity === 'high' ? 'warn' : 'plain';
}

function aboutOf({ about, task }: InboxItem): string {
  return task === undefined ? oneLine(about) : `${oneLine(about)}/${oneLine(task)}`;
}

function titleOf(item: InboxItem): string {
  return `${aboutOf(item)} of "${oneLine(item.pipeline)}" ${waitsFor[item.kind]}`;
}

function factsOf({ item, runEndsAt }: ShownDetail, now: number): readonly Line[] {
  const { id, nonce, queue, severity, openedAt, closedAt, outcome = '', who, choices } = item;
  const dates = [['due', item.dueAt] as const].flatMap(([name, at]) =>
    at === undefined || closedAt !== undefined ? [] : [`${name} in ${duration(Math.max(0, at - now))}`],
  );
  const facts = [`item ${oneLine(id)}`, `nonce ${nonce}`, `queue ${oneLine(queue)}`, severity, ...dates];
  if (runEndsAt !== undefined)
    facts.push(runEndsAt > now ? `run ends in ${duration(runEndsAt - now)}` : 'the deadline of the run has passed');
  return [
    [span(`  ${[...facts, `open for ${duration(Math.max(0, (closedAt ?? now) - openedAt))}`].join(', ')}`, 'dim')],
    ...(choices ? [[span(`  one of: ${choices.map((one) => JSON.stringify(oneLine(one))).join(', ')}`)]] : []),
    ...(closedAt === undefined
      ? []
      : [[span(`  closed${who === undefined ? '' : ` by ${oneLine(who)}`}: ${oneLine(reasonText(outcome))}`, 'warn')]]),
  ];
}

function textLines(text: string): readonly Line[] {
  if (text === '') return [];
  return manyLines(text)
    .split('\n')
    .map((line): Line => [span(`  ${line}`)]);
}

/** Describes the inputs. A person who does the task sees the beginning of each input, a reviewer only its first line. */
function inputLines({ item, inputs }: KeptDetail): readonly Line[] {
  const outputs = Object.entries(inputs).flatMap(([phase, tasks]) =>
    Object.entries(tasks).map(([task, value]) => ({ name: `${oneLine(phase)} / ${oneLine(task)}`, value })),
  );
  if (outputs.length === 0) return [];
  const more = outputs.length - MOST_INPUTS;
  return [
    [span('inputs:', 'dim')],
    ...outputs
      .slice(0, MOST_INPUTS)
      .flatMap(({ name, value }): readonly Line[] =>
        item.kind === 'task'
          ? [[span(`  ${name}:`, 'dim')], ...excerptLines(value, ALL)]
          : [[span(`  ${name}: `, 'dim'), span(firstLine(value))]],
      ),
    ...(more > 0 ? [[span(`  and ${counted(more, 'output')} more: --json has all of them`, 'dim')]] : []),
  ];
}

function firstLine(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')).trim();
  const [line = ''] = text.split(/[\r\n]/u, 1);
  return `${cut(oneLine(line), LONGEST)}${line.length < text.length ? ' …' : ''}`;
}

function attemptLines(
  { number, generation, outputs, unchanged, verdict, verdicts }: TriedAttempt,
  isLast: boolean,
): readonly Line[] {
  const head: Line = [
    span(attemptName(number, generation), 'strong'),
    span(verdict ? `: ${cut(verdictText(verdict), LONGEST)}` : ''),
    ...(unchanged === undefined ? [] : [span(` (${unchangedText(unchanged)})`, 'warn')]),
  ];
  if (!isLast) return [head];
  const judged = Object.entries(verdicts).map(([name, one]): Line => [
    span(`  ${oneLine(name)}: ${cut(verdictText(one), LONGEST)}`),
  ]);
  const written = Object.entries(outputs).flatMap(([task, value]): readonly Line[] => [
    [span(`  ${oneLine(task)}:`, 'dim')],
    ...excerptLines(value, ALL),
  ]);
  return [head, ...judged, ...written];
}

function diffLines(task: string, patch: string): readonly Line[] {
  // Skips the file names at the start of the patch: there are no files.
  const lines = manyLines(patch)
    .split('\n')
    .slice(4)
    .filter((line) => line !== '');
  const left = lines.length - MOST_CHANGES;
  return [
    [span(`changed in ${oneLine(task)} since the attempt before:`, 'dim')],
    ...lines.slice(0, MOST_CHANGES).map((line): Line => [span(`  ${cut(line, LONGEST)}`, toneOfChange(line))]),
    ...(left > 0 ? [[span(`  and ${counted(left, 'line')} more`, 'dim')]] : []),
  ];
}

function toneOfChange(line: string): Tone {
  return line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'dim';
}

/** The option of `phasegate inbox answer` for each answer. */
const FLAGS: Readonly<Record<Choice['answer'], string>> = {
  approve: '--approve',
  edit: '--edit <file>',
  retry: '--retry "…"',
  rewind: '--rewind',
  reclassify: '--reclassify <issue=phase>',
  reject: '--reject "…"',
  skip: '--skip',
  escalate: '--escalate "…"',
  value: '--value <json>',
  abort: '--abort',
};

function choiceLines(choice: Choice): readonly Line[] {
  const { answer, phase, means, runs, mayRun, skips, stale, spends } = choice;
  const flag = phase === undefined ? FLAGS[answer] : `--rewind ${oneLine(phase)} "…"`;
  const effects = [
    ['runs', runs],
    ['runs if its inputs change', mayRun],
    ['skips', skips],
    ['leaves stale', stale],
  ] as const;
  const effectTexts = effects.flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${names.map(oneLine).join(', ')}`],
  );
  const spent = spends === 'nothing' ? [] : [`spends ${spends}`];
  const end = choice.run === 'goes on' ? [] : [endText(choice)];
  return [
    [span(`${padEnd(flag, 16)} `, 'strong'), span(oneLine(means))],
    ...[...end, ...effectTexts, ...spent].map((text): Line => [span(`${' '.repeat(17)}${text}`, 'dim')]),
  ];
}

/** Renders {@link itemLines} as text without colours, for a question on standard error. */
export function plainItem(detail: ShownDetail, now: number): string {
  return itemLines(detail, now)
    .map((line) => `${plain(line)}\n`)
    .join('');
}
