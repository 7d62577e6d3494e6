/**
 * Invariants of every run, checked on its records and on the outputs that tasks saw.
 *
 * @module
 */
import type { RunEvent } from '../../src/records.ts';
import type { Scenario } from '../reference/scenario.ts';
import { demands, gateOf, issues, numberOf, sentBackBy } from './demands.ts';
import type { Driven } from './drive.ts';
import { timeline, type Moment } from './timeline.ts';

/** Returns a description of every broken invariant; empty if there is none. */
export function brokenInvariants(scenario: Scenario, run: Driven): readonly string[] {
  const { moments } = timeline(run.records);
  const above = ancestry(scenario);
  return [
    ...numbering(run),
    ...ending(moments),
    ...moments.flatMap((moment) => order(moment, above)),
    ...concurrency(scenario, moments),
    ...moments.flatMap((moment) => budgets(scenario, moment)),
    ...rewindBudgets(scenario, moments, above),
    ...limits(scenario, moments),
    ...versions(moments),
    ...visibility(run, moments),
    ...demands(moments),
    ...issues(scenario, moments, above),
  ];
}

// --- internal ---

function numbering({ records }: Driven): string[] {
  return records.flatMap(({ seq, time }, index) => [
    ...(seq === index + 1 ? [] : [`record ${index} has seq ${seq}`]),
    ...(index === 0 || time >= (records[index - 1]?.time ?? 0) ? [] : [`time runs backwards at ${seq}`]),
  ]);
}

function ending(moments: readonly Moment[]): string[] {
  const types = moments.map(({ event }) => event.type);
  return [
    ...(types[0] === 'run.started' && types.lastIndexOf('run.started') === 0 ? [] : ['run.started is not the first']),
    ...(types.indexOf('run.ended') === types.length - 1 ? [] : ['run.ended is not the last']),
  ];
}

/** Checks that a phase does one thing at a time, and only when everything upstream is approved. */
function order({ event, seq, before }: Moment, above: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  if (!('phase' in event)) return [];
  const { status } = before(event.phase);
  const where = `${event.phase} at ${seq}`;
  if (event.type === 'phase.started') {
    if (status === 'working' || status === 'escalated' || status === 'over')
      return [`${where} started while ${status}`];
    if (status === 'retrying') return [];
    const open = [...(above.get(event.phase) ?? [])].filter((name) => before(name).status !== 'approved');
    return open.map((name) => `${where} started before ${name} was approved`);
  }
  // The usage of a stopped try is reported late, once the try has ended.
  if (event.type === 'task.reported' && event.late) return [];
  const isWork = event.type.startsWith('task.') || event.type === 'review.started';
  if (isWork && status !== 'working') return [`${where} says ${event.type} while ${status}`];
  return [];
}

function concurrency({ concurrency: max }: Scenario, moments: readonly Moment[]): string[] {
  const working = new Set<string>();
  return moments.flatMap(({ event, seq }) => {
    if (event.type === 'phase.started') working.add(event.phase);
    else if ('phase' in event && LEAVES.has(event.type)) working.delete(event.phase);
    return max === 'unlimited' || working.size <= max ? [] : [`${working.size} phases work at ${seq}`];
  });
}

const LEAVES: ReadonlySet<RunEvent['type']> = new Set([
  'phase.approved',
  'phase.rejected',
  'phase.failed',
  'phase.rewinding',
  'phase.escalated',
  'phase.invalidated',
  'phase.cancelled',
]);

function budgets(scenario: Scenario, { event, seq, before }: Moment): string[] {
  if (event.type === 'phase.retrying' && event.by !== 'person') {
    const max = numberOf(gateOf(scenario, event.phase)?.maxRetries, 2);
    return before(event.phase).retries < max ? [] : [`${event.phase} retried more than ${max} times at ${seq}`];
  }
  if (event.type === 'review.started') {
    const max = numberOf(gateOf(scenario, event.phase)?.maxReviewErrors, 3) + 1;
    return event.asked <= max ? [] : [`${event.phase} was reviewed ${event.asked} times at ${seq}`];
  }
  return [];
}

function rewindBudgets(
  scenario: Scenario,
  moments: readonly Moment[],
  above: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const spent = new Map<string, number>();
  return moments.flatMap(({ event, seq }) => {
    if (event.type !== 'phase.rewinding' || event.by === 'person') return [];
    const max = Math.min(
      numberOf(gateOf(scenario, event.phase)?.maxPredecessorRetries, 2),
      scenario.limits.perPair ?? Infinity,
    );
    return sentBackBy(event, above).flatMap((target) => {
      const pair = `${event.phase} -> ${target}`;
      spent.set(pair, (spent.get(pair) ?? 0) + 1);
      return (spent.get(pair) ?? 0) <= max ? [] : [`${pair} more than ${max} times at ${seq}`];
    });
  });
}

function limits({ limits: max }: Scenario, moments: readonly Moment[]): string[] {
  let corrections = 0;
  let mayAttempt = max.attemptsPerPhase ?? Infinity;
  return moments.flatMap(({ event, seq, before }) => {
    if (event.type === 'limit.lifted' && event.limit === 'attemptsPerPhase') mayAttempt = Infinity;
    if (event.type === 'phase.started' && before(event.phase).attempts >= mayAttempt && !before(event.phase).isFree) {
      return [`${event.phase} is attempted more than ${mayAttempt} times at ${seq}`];
    }
    if (event.type !== 'phase.retrying' && event.type !== 'phase.rewinding') return [];
    corrections += 1 + (event.type === 'phase.rewinding' ? (event.riders?.length ?? 0) : 0);
    const isTooMany = event.by !== 'person' && corrections > (max.corrections ?? Infinity);
    return isTooMany ? [`correction ${corrections} at ${seq}`] : [];
  });
}

/**
 * Checks that versions increase by one, and come from outputs that were committed at the start of the phase, or from
 * equal ones.
 */
function versions(moments: readonly Moment[]): string[] {
  const contents = new Map<string, string>();
  return moments.flatMap(({ event, seq, before }) => {
    if (event.type !== 'phase.approved') return [];
    contents.set(`${event.phase}@${event.version}`, JSON.stringify(event.outputs));
    const { committed, saw } = before(event.phase);
    const read = Object.entries(event.read).filter(
      ([name, version]) => contents.get(`${name}@${version}`) !== JSON.stringify(saw.get(name)?.outputs),
    );
    return [
      ...(event.version === committed.version + 1 ? [] : [`${event.phase} commits ${event.version} at ${seq}`]),
      ...read.map(([name, version]) => `${event.phase} says it read ${name}@${version} at ${seq}`),
    ];
  });
}

/** Checks that tasks see only outputs that were committed when their phase started. */
function visibility({ sightings }: Driven, moments: readonly Moment[]): string[] {
  return sightings.flatMap(({ phase, task, seq, seen }) => {
    const then = moments[seq]?.before(phase) ?? moments.at(-1)?.before(phase);
    return Object.entries(seen).flatMap(([name, outputs]) => {
      const committed = then?.saw.get(name);
      if (committed && committed.version > 0 && JSON.stringify(committed.outputs) === JSON.stringify(outputs))
        return [];
      return [`${phase}/${task} saw ${name} as ${JSON.stringify(outputs)} after ${seq}, not as it was committed`];
    });
  });
}

function ancestry({ phases }: Scenario): ReadonlyMap<string, ReadonlySet<string>> {
  const above = new Map<string, ReadonlySet<string>>();
  const visit = (name: string): ReadonlySet<string> => {
    const known = above.get(name);
    if (known) return known;
    const after = phases.find((spec) => spec.name === name)?.after ?? [];
    const all = new Set(after.flatMap((one) => [one, ...visit(one)]));
    above.set(name, all);
    return all;
  };
  for (const { name } of phases) visit(name);
  return above;
}
