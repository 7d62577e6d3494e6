/**
 * A coverage as tables of counts, and as lines for a terminal.
 *
 * @module
 */
import { counted } from '../../model/values/counts.ts';
import type { CoverageEntry, CoverageRow, CoveredDecision } from './coverage-entry.ts';
import type { Coverage } from './coverage.ts';

/** A table of counts: its title, the head, and the cells of each row. */
export interface CountTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Creates the summary in one line. @param unreadable The number of runs that could not be read. @default 0 */
export function coverageSummary(coverage: Coverage, unreadable = 0): string {
  const { pipeline, percent, shown, asked, runs, otherRuns, records } = coverage;
  const others = otherRuns === 0 ? '' : `, ${counted(otherRuns, 'run')} of other definitions`;
  const unread = unreadable === 0 ? '' : `, ${counted(unreadable, 'run')} that could not be read`;
  return `Coverage of "${pipeline}": ${percent} %, ${shown} of ${asked}; ${counted(runs, 'run')}, ${counted(records, 'record')}${others}${unread}`;
}

/**
 * Creates the lines: the summary, the tables, and the names of what no run has shown.
 *
 * @param unreadable The number of runs that could not be read. @default 0
 */
export function coverageLines(coverage: Coverage, unreadable = 0): readonly string[] {
  const tables = countTables(coverage).filter(({ rows }) => rows.length > 0);
  const { missing } = coverage;
  return [
    coverageSummary(coverage, unreadable),
    ...tables.flatMap(({ columns, rows }) => ['', ...aligned([columns, ...rows])]),
    ...(missing.length === 0 ? [] : ['', 'Not shown by any run:', ...missing.map((name) => `  ${name}`)]),
  ];
}

/**
 * Creates the tables. A cell has the number of times; `✗` if no run has shown it, and `·` if it is not asked for. A cell with two parts
 * has granted and refused, or answered and expired.
 */
export function countTables({ phases, rows, rewinds, checks, limits, ends }: Coverage): readonly CountTable[] {
  const sent = new Map(rewinds.map((one) => [`${one.from} → ${one.to}`, one]));
  const demands = grouped(
    rows.filter(({ target }) => target !== null),
    ({ phase, target }) => `${phase} → ${target}`,
  );
  const pairs = new Set([...demands.keys(), ...sent.keys()]);
  return [
    {
      title: 'Phases',
      columns: ['phase', ...new Set(phases.map(({ status }) => status))],
      rows: [...grouped(phases, ({ phase }) => phase)].map(([phase, list]) => [phase, ...list.map(cell)]),
    },
    {
      title: 'Gates',
      columns: ['gate', ...COLUMNS.map(({ head }) => head)],
      rows: [...grouped(rows, ({ phase }) => phase)].map(([phase, list]) => [
        phase,
        ...COLUMNS.map((column) => gateCell(list, column)),
      ]),
    },
    {
      title: 'Phases that were sent back',
      columns: ['send back', 'by gates', 'in all'],
      rows: [...pairs].map((pair) => [
        pair,
        gateCell(demands.get(pair) ?? [], { decision: 'retryPredecessor', outcomes: BUDGET }),
        cell(sent.get(pair)),
      ]),
    },
    {
      title: 'Checks',
      columns: ['check', 'passed', 'failed'],
      rows: [...grouped(checks, ({ phase, check }) => `${check} of ${phase}`)].map(([name, list]) => [
        name,
        ...list.map(cell),
      ]),
    },
    { title: 'Limits', columns: ['limit', 'reached'], rows: limits.map((one) => [one.limit, cell(one)]) },
    { title: 'Ends', columns: ['end', 'runs'], rows: ends.map((one) => [one.status, cell(one)]) },
  ];
}

// --- internal ---

/** A column of the table of gates. */
interface Column {
  readonly decision: CoveredDecision;
  readonly outcomes: readonly CoverageRow['outcome'][];
}

const PLAIN = [null] as const;
const BUDGET = ['granted', 'refused'] as const;

const COLUMNS: readonly (Column & { readonly head: string })[] = [
  { head: 'approve', decision: 'approve', outcomes: PLAIN },
  { head: 'retry', decision: 'retry', outcomes: BUDGET },
  { head: 'reject', decision: 'reject', outcomes: PLAIN },
  { head: 'escalate', decision: 'escalate', outcomes: PLAIN },
  { head: 'unreadable', decision: 'unreadable', outcomes: PLAIN },
  { head: 'error', decision: 'reviewError', outcomes: PLAIN },
  { head: 'again', decision: 'reviewAgain', outcomes: BUDGET },
  { head: 'question', decision: 'question', outcomes: ['answered', 'expired'] },
];

function gateCell(rows: readonly CoverageRow[], { decision, outcomes }: Column): string {
  return outcomes
    .map((outcome) => cell(rows.find((one) => one.decision === decision && one.outcome === outcome)))
    .join('/');
}

function cell(entry: CoverageEntry | undefined): string {
  if (entry === undefined || (entry.times === 0 && !entry.asked)) return '·';
  return entry.times === 0 ? '✗' : String(entry.times);
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one)) ?? [];
    group.push(one);
    groups.set(keyOf(one), group);
  }
  return groups;
}

/** Aligns the first column to the left, and the others to the right. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join('  '),
  );
}
