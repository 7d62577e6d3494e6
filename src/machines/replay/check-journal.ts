/**
 * Check of a journal: the machines could have written it. It needs the plan, which is in the records, and no code of handlers.
 *
 * @module
 */
import { createActor, createMachine } from 'xstate';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { EventOf, RunEvent, RunRecord } from '../../model/events/event.ts';
import { definitionOf } from '../../model/events/run-definition.ts';
import { fingerprint as fingerprintOf } from '../../model/plan/plan.ts';
import { phaseLogic } from '../phase/phase-logic.ts';
import type { WorkLogic } from '../phase/ports.ts';
import { openServices, whileDeferring } from '../phase/run-services.ts';
import type { PhaseStub } from './phase-stub.ts';
import { replay } from './replay.ts';
import { PhaseRestorer } from './restore-phases.ts';
import { rulesOf, type RulesOptions } from './work-rules.ts';

/**
 * Checks all records of a run, or its first ones. The coordinator replays them, and each phase that has begun is restored with its
 * records, even if it has ended.
 *
 * @throws PhasegateError `JOURNAL_DIVERGED` with a record that does not follow from those before it.
 */
export function checkJournal(records: readonly RunRecord[]): void {
  const first = records[0];
  if (first?.event.type !== 'run.started') throw impossible(first?.runId ?? '', 'record 1 starts no run');
  try {
    checkRun(first.runId, first.event, records);
  } catch (error) {
    if (PhasegateError.is(error) && error.code === 'JOURNAL_DIVERGED') throw error;
    // An event that the machines have no step for, or a plan that is none.
    throw impossible(first.runId, errorInfo(error).message, error);
  }
}

// --- internal ---

function checkRun(run: string, first: EventOf<'run.started'>, records: readonly RunRecord[]): void {
  const { plan: begun, input, attended, memory, edition = 1, forked } = first;
  let hasEnded = false;
  for (const { event, seq } of records) {
    checkPlan(run, event, seq);
    if (event.type === 'run.reopened' && !hasEnded)
      throw impossible(run, `record ${seq} retries a run that has not ended`);
    if (event.type === 'run.ended' || event.type === 'run.reopened') hasEnded = event.type === 'run.ended';
  }
  const { plan } = definitionOf(records, first);
  const stubs: PhaseStub[] = [];
  const onSpawn = (stub: PhaseStub) => void stubs.push(stub);
  replay({ run, plan, input, attended, memory, edition }, records, { changed: plan !== begun, onSpawn });
  const resumed = records.flatMap(({ event, seq }) => (event.type === 'run.resumed' ? [seq] : []));
  for (const stub of stubs) checkPhase(run, stub, { copied: forked?.records, resumed });
}

function checkPlan(run: string, event: RunEvent, seq: number): void {
  if (event.type !== 'run.started' && event.type !== 'run.resumed') return;
  const { plan, fingerprint } = event;
  if (plan && fingerprintOf(plan) !== fingerprint)
    throw impossible(run, `the plan in record ${seq} does not match its fingerprint`);
}

/** Work is deferred, and then ended with its recorded outcome. So it never begins. */
const NO_WORK: WorkLogic<never> = { begin: () => ({ stop: () => undefined }) };
const logic = phaseLogic({ attempt: NO_WORK, review: NO_WORK });
const parentLogic = createMachine({});

function checkPhase(run: string, stub: PhaseStub, options: Omit<RulesOptions, 'phase'>): void {
  const parent = createActor(parentLogic);
  const services = openServices(parent);
  const actor = createActor(logic, { id: stub.name, parent, input: stub.input });
  const rules = rulesOf({ phase: stub.input.phase, ...options });
  const restorer = new PhaseRestorer(run, stub, actor, (event) => event, rules);
  services.takeReport = (report) => restorer.compare(report);
  whileDeferring(parent, () => restorer.play(0));
}

function impossible(run: string, why: string, cause?: unknown): PhasegateError {
  return new PhasegateError('JOURNAL_DIVERGED', `Cannot replay the journal of run ${run} as ${why}`, {
    hint: 'Restore the run from a copy, or fork it before that record.',
    cause,
  });
}
