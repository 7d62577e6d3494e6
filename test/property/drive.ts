/**
 * Runs a scenario on the real runtime, in virtual time.
 *
 * @module
 */
import { approve, PhasegateError, reject, retry, retryPredecessor, startRun } from '../../src/index.ts';
import type { Decision, Run, RunEvent, RunRecord, RunResult, RunSnapshot, RunStore } from '../../src/index.ts';
import { delayOf, type PersonAct, type Scenario } from '../reference/scenario.ts';
import { build, issueOf, type Sighting } from './build.ts';
import { whatIsToldOtherwise } from '../told-again.ts';
import { SteppedClock } from './stepped-clock.ts';

/** What a driven run leaves behind. */
export interface Driven {
  readonly records: readonly RunRecord[];
  /** What tasks saw, in order, each with the number of records that were there before. */
  readonly sightings: readonly (Sighting & { readonly seq: number })[];
  /** What reviewers were shown of their findings, in order. */
  readonly shown: readonly string[];
  readonly snapshot: RunSnapshot;
  /** `null` where the run had not ended when nothing was left to wait for. */
  readonly result: RunResult | null;
  /** Decisions of the scenario's people that the run refused; there should be none. */
  readonly refused: readonly string[];
}

/** Where a run is kept. */
export interface Kept {
  readonly store: RunStore;
  /** Whether the store has nothing to do. */
  readonly idle: () => boolean;
}

/**
 * Drives a scenario until nothing is left to wait for.
 *
 * @param inspect Watches the run, which makes actors of its phases and of their work.
 * @param kept Where it is kept. @default nowhere
 */
export async function drive(scenario: Scenario, inspect?: () => void, kept?: Kept): Promise<Driven> {
  const clock = new SteppedClock();
  const sightings: (Sighting & { readonly seq: number })[] = [];
  const records: RunRecord[] = [];
  const shown: string[] = [];
  const pipeline = build(scenario, {
    clock,
    saw: (sighting) => sightings.push({ ...sighting, seq: records.length }),
    showed: (line) => shown.push(line),
  });
  const run = startRun(pipeline, { clock, runId: 'run', attended: scenario.attended, inspect, store: kept?.store });
  const people = peopleOf(scenario, run, clock);
  run.events$.subscribe((record) => {
    records.push(record);
    people.hear(record.event);
  });
  const end: { result: RunResult | null } = { result: null };
  void run.result.then((result) => (end.result = result as RunResult));
  if (scenario.cancelAt !== undefined) clock.setTimeout(() => run.cancel('a person stops it'), scenario.cancelAt);
  await settle(kept);
  for (let steps = 0; end.result === null && steps < MAX_STEPS && clock.step(); steps++) await settle(kept);
  const otherwise = end.result && whatIsToldOtherwise(pipeline, records, end.result);
  if (otherwise !== null) throw new Error(`Told again: ${otherwise}`);
  return { records, sightings, shown, snapshot: run.snapshot(), result: end.result, refused: people.refused };
}

// --- internal ---

const MAX_STEPS = 20_000;

/** Lets everything happen that needs no time, but that of the store. */
async function settle(kept?: Kept): Promise<void> {
  const turns = kept ? 6 : 3;
  for (let turn = 0; turn < turns; turn = kept?.idle() === false ? 0 : turn + 1)
    await new Promise((resolve) => setImmediate(resolve));
}

/** Answers whatever waits for a person, each after its own time, unless the question is gone by then. */
function peopleOf(scenario: Scenario, run: Pick<Run, 'decide'>, clock: SteppedClock) {
  const asked = new Map<string, number>();
  const timers = new Map<string, number>();
  const refused: string[] = [];

  function ask(about: string, script: (nth: number) => PersonAct): void {
    const nth = asked.get(about) ?? 0;
    asked.set(about, nth + 1);
    const timer = clock.setTimeout(
      () => {
        timers.delete(about);
        decide(about, decisionOf(script(nth))).catch((error: unknown) => refused.push(`${about}: ${String(error)}`));
      },
      delayOf(scenario.seed, `person@${about}`, nth),
    );
    timers.set(about, timer);
  }

  /** There is nothing to approve in an attempt that broke off; told so, a person says no. */
  async function decide(about: string, decision: Decision): Promise<void> {
    try {
      await run.decide(about, decision);
    } catch (error) {
      const isEmpty = error instanceof PhasegateError && error.code === 'DECISION_INVALID';
      if (decision.type !== 'approve' || !isEmpty) throw error;
      await run.decide(about, reject('there is nothing to approve'));
    }
  }

  function close(about: string): void {
    const timer = timers.get(about);
    if (timer !== undefined) clock.clearTimeout(timer);
    timers.delete(about);
  }

  return {
    refused,
    hear(event: RunEvent): void {
      if (event.type === 'phase.escalated') {
        const script = scenario.phases.find((spec) => spec.name === event.phase)?.people ?? [];
        ask(event.phase, (nth) => script[nth] ?? { do: 'approve' });
      } else if (event.type === 'limit.reached') {
        if (event.holds === null && scenario.onLimit === 'escalate') {
          ask(event.limit, () => ({ do: scenario.lifts ? 'approve' : 'reject' }));
        }
      } else if (event.type === 'phase.invalidated' || event.type === 'phase.cancelled') {
        close(event.phase);
      } else if (event.type === 'run.ended') {
        timers.forEach((_, about) => close(about));
      }
    },
  };
}

function decisionOf(act: PersonAct): Decision {
  switch (act.do) {
    case 'approve':
      return approve();
    case 'reject':
      return reject('a person says no');
    case 'retry':
      return { ...retry(act.feedback), ...(act.issues && { issues: act.issues.map(issueOf) }) };
    case 'rewind':
      return { ...retryPredecessor(act.phase, act.feedback), ...(act.issues && { issues: act.issues.map(issueOf) }) };
  }
}
