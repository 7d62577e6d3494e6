/**
 * The sections of a report on the course of the run.
 *
 * @module
 */
import { issueId, withIds } from '../../model/decision/issue.ts';
import { decisionIn, isDemand } from '../../model/review/verdict.ts';
import { counted } from '../../model/values/counts.ts';
import type { Defect } from '../../projections/quality/defect.ts';
import type { Effort } from '../../projections/quality/effort.ts';
import type { PhaseMeasures } from '../../projections/quality/measures.ts';
import type { PhaseResult } from '../../projections/run/run-result.ts';
import { estimatedText } from '../../projections/wording/amount-words.ts';
import { timeText } from '../options/duration.ts';
import { verdictText } from '../show/event-lines.ts';
import { errorText } from '../terminal/error-text.ts';
import { argument, duration, oneLine, problemLine, reasonText } from '../terminal/text.ts';
import type { ReportData, ReportDecision } from './data.ts';
import { columns, tableOf, type ReportDocument, type Section } from './document.ts';
import type { WorkTimes } from '../../projections/timeline/work-times.ts';
import { standingWords, timeNames } from '../../projections/wording/standing-words.ts';
import { NONE } from '../../projections/wording/figures.ts';
import { count, cost, effortCells } from './figures.ts';
import { measureSections } from './measure-sections.ts';

/** Creates the report on a run. */
export function documentOf(data: ReportData): ReportDocument {
  const { info } = data;
  return {
    title: `Run ${info.runId} of "${oneLine(info.pipeline)}": ${data.standing}`,
    sections: [
      head(data),
      phases(data),
      decisions(data),
      defects(data),
      ...measureSections(data.measures),
      remarks(data),
    ],
  };
}

// --- internal ---

function head({ info, firstAt, standing, seal, snapshot, estimated }: ReportData): Section {
  const { metrics, limitsLeft, waiting, reason, error, limit } = snapshot;
  const left = Object.entries(limitsLeft).map(([name, rest]) => `${name} ${limitText(name, rest ?? 0)}`);
  const why = error ? problemLine(errorText(error)) : reasonText(reason ?? '');
  const facts: readonly (readonly [string, string])[] = [
    ['Run', info.runId],
    ['Seal', seal ?? `none, as the run is damaged: phasegate verify ${argument(info.runId)}`],
    ['Pipeline', info.pipeline],
    ['Status', limit === null ? standing : `${standing} by the limit ${limit}`],
    ['Why', why],
    ['Waits for a person', waiting.join(', ')],
    ['Started', timeText(firstAt)],
    ['Duration', `${duration(metrics.elapsedMs)}, ${counted(info.seq, 'record')}`],
    ['Time of work', duration(metrics.durationMs)],
    [
      'Cost',
      `${cost(metrics.costUsd)}, ${counted(metrics.tokens, 'token')} ${estimatedText(metrics, estimated)}`.trim(),
    ],
    ['Phases approved', `${info.approved} of ${info.phases}`],
    ['Attempts', String(metrics.attempts)],
    ['Corrections', String(metrics.corrections)],
    ['Reviews', String(metrics.reviews)],
    ['Limits left', left.join(', ')],
    ['Tags', info.tags?.join(' ') ?? ''],
    ['Definition', info.source ?? ''],
    ['Fork of', info.forkOf === undefined ? '' : `${info.forkOf}, made ${timeText(info.startedAt)}`],
  ];
  const known = facts.filter(([, text]) => text !== '');
  return { heading: 'Run', table: tableOf(columns('Fact', 'Value'), known, (fact) => fact, NONE) };
}

function limitText(name: string, left: number): string {
  if (name === 'durationMs' || name === 'deadlineMs') return duration(left);
  return name === 'costUsd' ? (left === 0 ? '$0' : cost(left)) : String(left);
}

function phases({ snapshot, measures, times, asking }: ReportData): Section {
  const efforts = new Map(measures.phases.map((one) => [one.phase, one]));
  const all = Object.entries(snapshot.phases);
  const table = tableOf(
    columns(
      'Phase',
      'Status',
      '#Attempts',
      '#Generation',
      '#Corrections',
      '#Cost',
      '#Tokens',
      `#${timeNames.work}`,
      `#${timeNames.wait}`,
    ),
    all,
    ([name, phase]) => [
      name,
      statusText(phase, asking.includes(name)),
      count(phase.attempts),
      phase.attempts === 0 ? NONE : ordinal(phase.generation),
      count(phase.corrections),
      ...effortCells(totalOf(efforts.get(name))).slice(0, 2),
      ...timeCells(times[name]),
    ],
    'There are no phases.',
    ([, { status, corrections }]) => status !== 'approved' || corrections > 0,
  );
  return { heading: 'Phases', note: TIMES, table };
}

const TIMES = `${timeNames.work} is the time in which its tasks or its gate worked. ${timeNames.wait} is the time in which it waited for a person, another try, or to start again.`;

/** Numbers a generation as all texts for people do: from 1. */
function ordinal(generation: number): string {
  return String(generation + 1);
}

function timeCells(times: WorkTimes | undefined): readonly string[] {
  return [times?.workMs, times?.waitMs].map((ms) => (ms === undefined || ms === 0 ? NONE : duration(ms)));
}

function statusText({ status, because, stale }: PhaseResult, isAsking: boolean): string {
  const how = status === 'approved' && because !== null && because !== 'approved' ? ` (${because})` : '';
  return `${standingWords[isAsking ? 'waiting' : status]}${how}${stale ? `, ${standingWords.stale}` : ''}`;
}

function totalOf(measures: PhaseMeasures | undefined): Effort {
  const parts = measures ? [measures.work, measures.appraisal, measures.rework] : [];
  const sum = (key: keyof Effort) => parts.reduce((all, part) => all + part[key], 0);
  return { costUsd: sum('costUsd'), tokens: sum('tokens'), ms: sum('ms') };
}

function decisions({ firstAt, decisions: all }: ReportData): Section {
  const table = tableOf(
    columns('#Record', '#After', 'Phase', '#Generation', '#Attempt', 'By', 'Decision'),
    all,
    (one) => [
      String(one.seq),
      duration(one.time - firstAt),
      one.phase,
      ordinal(one.generation),
      String(one.number),
      byText(one),
      decisionText(one),
    ],
    'There are no decisions.',
    ({ verdict }) => verdict.type !== 'approve',
  );
  return { heading: 'Decisions', table };
}

function decisionText({ verdict }: ReportDecision): string {
  const ids = withIds(decisionIn(verdict)?.issues ?? []).map(issueId);
  // Issues have their own table.
  const text = verdictText(isDemand(verdict) ? { ...verdict, issues: undefined } : verdict);
  return ids.length === 0 ? text : `${text} (issues: ${[...new Set(ids)].join(', ')})`;
}

function byText({ by, who }: ReportDecision): string {
  return who === null ? by : `${by} ${who}`;
}

function defects({ defects: all }: ReportData): Section {
  const table = tableOf(
    columns(
      '#No.',
      'Type',
      'Severity',
      'Defect',
      'Injected',
      'Detected',
      'Removed',
      'Fix',
      'Now',
      'Attempts',
      '#Cost',
      '#Tokens',
      '#Time',
    ),
    all,
    (one) => [
      String(one.number),
      one.type,
      one.severity ?? NONE,
      one.description,
      injectedText(one),
      detectedText(one),
      one.removed?.phase ?? NONE,
      one.fix ? `${one.fix.phase} v${one.fix.version}` : NONE,
      one.disposition,
      Object.entries(one.attempts)
        .map(([phase, attempts]) => `${phase} ${attempts}`)
        .join(', ') || NONE,
      ...effortCells(one.rework),
    ],
    'No defect was found.',
    ({ disposition }) => disposition === 'open' || disposition === 'accepted',
  );
  const note =
    'Attempts are those after the corrections of the defect. Cost, tokens and time are its share of the effort of tasks in them.';
  return { heading: 'Defects', note, table };
}

/** Names the phase that a defect is attributed to, after the phases that it was attributed to before. */
function injectedText({ attribution, injected }: Defect): string {
  const [last] = attribution.slice(-1);
  if (attribution.length < 2 || !last) return injected;
  return `${attribution.map(({ phase }) => phase).join(' → ')} (${last.name === null ? last.by : `${last.by} ${last.name}`})`;
}

function detectedText({ found }: Defect): string {
  return found.map(({ phase, by, name }) => `${phase} (${name ?? by})`).join(', ');
}

function remarks({ remarks: all }: ReportData): Section {
  const table = tableOf(
    columns('#Record', 'Remark'),
    all,
    ({ seq, text }) => [String(seq), text],
    'None.',
    ({ event }) => event.type === 'loop.detected',
  );
  return { heading: 'Warnings, loops and limits', table };
}
