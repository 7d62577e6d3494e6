/**
 * Check of a journal: the machines could have written it. It needs the plan, which is in the records, and no code of handlers.
 *
 * @module
 */
import { errorInfo, hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { EventOf, RunEvent, RunRecord } from '../../model/events/event.ts';
import { isRedacted, maskAll } from '../../model/events/guard-redact.ts';
import type { Redact } from '../../model/events/redact.ts';
import { definitionOf } from '../../model/events/run-definition.ts';
import { fingerprint as fingerprintOf } from '../../model/plan/plan.ts';
import type { PipelineInput } from '../coordinator/run-state.ts';
import { phaseCheck } from './check-phase.ts';
import { checkEqualOnce } from './equal-phases.ts';
import { replay, type Replayed, type ReplayOptions } from './replay.ts';

/**
 * Checks all records of a run, or its first ones. The coordinator replays them, and each phase that has begun is restored with its
 * records, even if it has ended.
 *
 * @param redact The function of the caller that has masked texts of the records; it never throws. @default none
 * @throws PhasegateError `JOURNAL_DIVERGED` with a record that does not follow from those before it.
 */
export function checkJournal(records: readonly RunRecord[], redact?: Redact): void {
  const first = records[0];
  if (first?.event.type !== 'run.started') throw impossible(first?.runId ?? '', 'record 1 starts no run');
  try {
    checkRun(first.runId, first.event, records, redact);
  } catch (error) {
    if (hasCode(error, 'JOURNAL_DIVERGED')) throw error;
    // An event that the machines have no step for, or a plan that is none.
    throw impossible(first.runId, errorInfo(error).message, error);
  }
}

/** Options of {@link replayChecked}. */
export interface CheckOptions extends Omit<ReplayOptions, 'onEnd'> {
  /** True if a function of the program has masked texts. Its marks cannot be told from text, so free texts and outputs are not compared. @default false */
  readonly isRedactOwn?: boolean;
}

/**
 * Replays a journal, and checks that its phases have made their records.
 *
 * @throws PhasegateError `JOURNAL_DIVERGED` as {@link checkJournal} does.
 */
export function replayChecked(
  input: PipelineInput,
  records: readonly RunRecord[],
  { isRedactOwn, ...options }: CheckOptions,
): Replayed {
  const first = records[0]?.event;
  const copied = first?.type === 'run.started' ? first.forked?.records : undefined;
  const { redact = (event) => event } = options;
  const lax: Redact | undefined = isRedactOwn ? (event) => maskAll(redact(event)) : undefined;
  const each = phaseCheck(input.run, records, lax);
  const check = lax ? each : checkEqualOnce(each, copied);
  const replayed = replay(input, records, { ...options, redact: lax ?? redact, onEnd: check });
  for (const stub of replayed.stubs.values()) check(stub);
  return replayed;
}

// --- internal ---

function checkRun(run: string, first: EventOf<'run.started'>, records: readonly RunRecord[], redact?: Redact): void {
  const { plan: begun, input, attended, memory, edition = 1 } = first;
  for (const { event, seq } of records) checkPlan(run, event, seq);
  const { plan } = definitionOf(records, first);
  replayChecked({ run, plan, input, attended, memory, edition }, records, {
    changed: plan !== begun,
    redact,
    isRedactOwn: redact !== undefined || isRedacted(records),
  });
}

function checkPlan(run: string, event: RunEvent, seq: number): void {
  if (event.type !== 'run.started' && event.type !== 'run.resumed') return;
  const { plan, fingerprint } = event;
  if (plan && fingerprintOf(plan) !== fingerprint)
    throw impossible(run, `the plan in record ${seq} does not match its fingerprint`);
}

function impossible(run: string, why: string, cause?: unknown): PhasegateError {
  return new PhasegateError('JOURNAL_DIVERGED', `Cannot replay the journal of run ${run} as ${why}`, {
    hint: 'Restore the run from a copy, or fork it before that record.',
    cause,
  });
}
