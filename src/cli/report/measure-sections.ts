/**
 * The sections of a report with measures.
 *
 * @module
 */
import type { ReviewerMeasures } from '../../projections/quality/calibration.ts';
import type { ContainmentRow, EffortSplit, Measures } from '../../projections/quality/measures.ts';
import { columns, tableOf, type Section } from './document.ts';
import { NONE, ratioText, share } from '../../projections/wording/figures.ts';
import { count, effortCells } from './figures.ts';

/** Creates the sections on effort, yields, containment, gates and reviewers. */
export function measureSections(measures: Measures): readonly Section[] {
  return [effort(measures), yields(measures), containment(measures), gates(measures), reviewers(measures)];
}

// --- internal ---

/** The most phases that get their own column in the containment matrix. */
const MOST_COLUMNS = 12;

const KINDS: readonly (readonly [string, keyof EffortSplit])[] = [
  ['First work', 'work'],
  ['Reviews and checks', 'appraisal'],
  ['Rework', 'rework'],
];

function effort({ effort: split, reworkShare, appraisalToFailure }: Measures): Section {
  const rows: readonly (readonly string[])[] = [
    ...KINDS.map(([name, kind]) => [name, ...effortCells(split[kind])]),
    ['Rework share', share(reworkShare.costUsd), share(reworkShare.tokens), share(reworkShare.ms)],
    [
      'Appraisal to failure',
      ratioText(appraisalToFailure.costUsd),
      ratioText(appraisalToFailure.tokens),
      ratioText(appraisalToFailure.ms),
    ],
  ];
  const note =
    'Rework is the effort of tasks in attempts after a correction. Appraisal to failure is the effort of reviews and checks divided by rework.';
  return {
    heading: 'Effort',
    note,
    table: tableOf(columns('', '#Cost', '#Tokens', '#Time'), rows, (row) => row, NONE),
  };
}

function yields({ phases, removalEfficiency }: Measures): Section {
  const shown = phases.filter(({ entry, injected, removed }) => entry + injected + (removed ?? 0) > 0);
  const table = tableOf(
    columns(
      'Phase',
      '#At entry',
      '#Injected',
      '#Removed',
      '#Yield',
      '#Process yield before',
      '#Containment',
      '#Rework cost',
      '#Rework time',
    ),
    shown,
    (one) => {
      const [cost, , time] = effortCells(one.rework);
      return [
        one.phase,
        count(one.entry),
        count(one.injected),
        one.removed === null ? NONE : String(one.removed),
        share(one.yield),
        share(one.processYield),
        share(one.containment),
        cost,
        time,
      ];
    },
    'No defect was found, so there are no yields.',
    ({ injected, removed }) => injected + (removed ?? 0) > 0,
  );
  const note = `Yield is 100 · removed / (at entry + injected). Of all defects ${share(removalEfficiency)} were removed.`;
  return { heading: 'Phase yields', ...(shown.length > 0 && { note }), table };
}

function containment({ containment: rows, phases }: Measures): Section {
  const removing = new Set(rows.flatMap(({ removed }) => Object.keys(removed)));
  const all = phases.flatMap(({ phase }) => (removing.has(phase) ? phase : []));
  const own = all.slice(0, MOST_COLUMNS);
  const others = all.slice(MOST_COLUMNS);
  const sum = ({ removed }: ContainmentRow, names: readonly string[]) =>
    names.reduce((total, name) => total + (Object.hasOwn(removed, name) ? (removed[name] ?? 0) : 0), 0);
  const heads = columns('Injected in', '#Accepted', '#Open', '#Total');
  const [first, ...ends] = heads;
  const table = tableOf(
    [
      ...(first ? [first] : []),
      ...own.map((name) => ({ name: `Removed in ${name}`, isNumber: true })),
      ...(others.length > 0 ? [{ name: `Removed in ${others.length} others`, isNumber: true }] : []),
      ...ends,
    ],
    rows,
    (row) => [
      row.injected,
      ...own.map((name) => count(sum(row, [name]))),
      ...(others.length > 0 ? [count(sum(row, others))] : []),
      count(row.accepted),
      count(row.open),
      count(sum(row, all) + row.accepted + row.open),
    ],
    'No defect was found.',
  );
  return { heading: 'Phase containment', table };
}

function gates({ gates: all }: Measures): Section {
  const table = tableOf(
    columns('Gate', '#Judgements', '#Failed', '#Starts judged', '#Passed at first', '#First-pass yield'),
    all,
    (one) => [
      one.phase,
      String(one.reviews),
      count(one.unanswered),
      String(one.starts),
      String(one.passed),
      share(one.firstPassYield),
    ],
    'No gate has decided.',
    ({ passed, starts }) => passed < starts,
  );
  return { heading: 'Gates', table };
}

function reviewers({ reviewers: all }: Measures): Section {
  const table = tableOf(
    columns(
      'Gate',
      'Reviewer',
      '#Decisions',
      '#Approvals',
      '#Contradicted',
      '#Judged by people',
      '#Overruled',
      '#Overruled share',
      'Contradicted by confidence',
    ),
    all,
    (one) => [
      one.phase,
      one.reviewer,
      String(one.decisions),
      count(one.approvals),
      count(one.contradicted),
      count(one.judgedByPeople),
      count(one.overruled),
      share(one.overruledShare),
      bandsText(one),
    ],
    'No reviewer has decided.',
    ({ contradicted }) => contradicted > 0,
  );
  const note =
    'Contradicted decisions are those that a person overruled, approvals of work that was found wrong later, and withdrawn demands.';
  return { heading: 'Reviewers', note, table };
}

/** Formats contradicted decisions by confidence, such as `up to 0.8: 1 of 4`. */
function bandsText({ bands }: ReviewerMeasures): string {
  return bands
    .map(({ most, decisions, contradicted }) => {
      const about = most === null ? 'none given' : `up to ${most}`;
      return `${about}: ${contradicted} of ${decisions}`;
    })
    .join('; ');
}
