/**
 * Forks: new runs from any point of another run.
 *
 * @module
 */
import { cutList } from '../model/values/counts.ts';
import { newId } from '../model/values/new-id.ts';
import { decisionSchema, type Decision } from '../model/decision/decision.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { hasCode, PhasegateError } from '../model/errors/phasegate-error.ts';
import type { DecidedBy, RunEvent, RunRecord } from '../model/events/event.ts';
import { planGraph } from '../model/plan/plan.ts';
import { retarget } from '../model/review/change-request.ts';
import { isFields } from '../model/values/json.ts';
import { namesAbove } from '../model/values/graph.ts';
import { nearest } from '../model/values/nearest.ts';
import { foldInbox } from '../projections/inbox/inbox-fold.ts';
import type { RunStore } from '../store/port.ts';
import { readRun } from '../store/read-run.ts';
import { runUnknown } from '../store/refusals.ts';
import { checkNewRunId } from '../store/run-id.ts';
import { validateDecision } from './inbox/validate-reply.ts';
import { copyRun } from './records/copy-run.ts';
import { patientStore } from './records/patient-store.ts';
import { definitionOf } from '../model/events/run-definition.ts';
import { endFrom } from '../model/events/run-end.ts';
import { prepareResume, type ResumeOptions } from './resume.ts';
import { checkForkInput, checkUnmasked } from './run-input.ts';
import { checkOptions, checkPipeline } from './run.ts';

/** The point of a run to fork from. */
export interface ForkOptions {
  /** Number of the last record to copy; or a phase, to copy all records before its first start. */
  readonly at: number | { readonly phase: string };
  /**
   * A decision in place of the recorded one. `at` is then the number of a `review.decided` record, or a phase for its latest decision.
   * Records after that decision are not copied.
   */
  readonly decision?: Decision | undefined;
  /** Forks although `redact` has masked the input of the run. @default false */
  readonly allowMasked?: boolean | undefined;
  /** Letters, digits and `. _ : @ -`, at most 128; the first is a letter or digit. Not `latest`. @default a ULID */
  readonly runId?: string | undefined;
}

/**
 * Creates a run with the records of another run up to some point. Resume it with the same pipeline or a changed one.
 *
 * @returns The id of the new run.
 * @throws PhasegateError `RUN_UNKNOWN`, `INPUT_MASKED`, `FORK_INVALID` if there is no such point; `INPUT_INVALID` for a wrong id or option;
 *   `DECISION_INVALID`, `DECISION_TARGET_INVALID` if a person could not have decided so.
 */
export async function forkRun(store: RunStore, runId: string, options: ForkOptions): Promise<string> {
  checkForkOptions(runId, options);
  const forked = options.runId ?? newId();
  checkNewRunId(forked);
  const copied = await recordsFor(store, runId, options);
  const source = (await patientStore(store).run(runId))?.source;
  const startedAt = Date.now();
  await copyRun(store, forked, markedAsFork(copied, startedAt), { forkOf: runId, source, startedAt });
  return forked;
}

/**
 * Checks that a fork could be resumed with a pipeline. Creates no run.
 *
 * @throws PhasegateError as {@link forkRun} and `resumeRun` do.
 */
export async function checkFork(
  store: RunStore,
  runId: string,
  fork: ForkOptions,
  pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>,
  options: ResumeOptions = {},
): Promise<void> {
  checkPipeline(pipeline, 'fork a run');
  checkForkOptions(runId, fork);
  const records = await recordsFor(store, runId, fork);
  await checkForkInput(runId, pipeline, records);
  prepareResume(`${runId} in a fork`, pipeline, records, options, 'resume');
}

/** Checks that a run has a point to fork from. Creates no run. @throws PhasegateError as {@link forkRun} does. */
export async function checkPoint(store: RunStore, runId: string, fork: ForkOptions): Promise<void> {
  checkForkOptions(runId, fork);
  await recordsFor(store, runId, fork);
}

// --- internal ---

/** Most phase names in an error. */
const MOST_NAMED = 10;

/** Refuses unknown options, and those of a type that a program in JavaScript may pass. */
function checkForkOptions(runId: string, options: unknown): void {
  const { at, decision } = isFields(options) ? options : {};
  if (typeof at !== 'number' && !(isFields(at) && typeof at['phase'] === 'string'))
    throw forkInvalid(runId, 'the given value', "Pass `at`: the number of a record, or { phase: 'build' }.");
  if (decision !== undefined && !decisionSchema.safeParse(decision).success)
    throw new PhasegateError('DECISION_INVALID', `Cannot fork run ${runId} with a value that is no decision`, {
      hint: 'Pass retry(feedback), for example.',
    });
  checkOptions(options, 'fork a run', ['at', 'decision'], ['runId', 'allowMasked']);
}

/** The records that a fork begins with. */
async function recordsFor(store: RunStore, runId: string, options: ForkOptions): Promise<readonly RunRecord[]> {
  const records = await readForFork(patientStore(store), runId, options);
  if (records.length === 0) throw runUnknown('fork', runId);
  if (!options.allowMasked) checkUnmasked('fork', runId, records);
  return options.decision
    ? withOtherDecision(runId, records, options.at, options.decision)
    : records.slice(0, pointOf(runId, records, options.at));
}

/** Reads a run. If it is damaged after the point of the fork, reads the records up to that point. */
async function readForFork(
  store: RunStore,
  runId: string,
  { at, decision }: ForkOptions,
): Promise<readonly RunRecord[]> {
  try {
    return await readRun(store, runId);
  } catch (error) {
    if (typeof at !== 'number' || decision || !hasCode(error, 'STORE_UNREADABLE')) throw error;
    return readRun(store, runId, 1, Math.max(1, at));
  }
}

/** The number of records to copy. */
function pointOf(runId: string, records: readonly RunRecord[], at: ForkOptions['at']): number {
  if (typeof at === 'number') {
    if (!(Number.isInteger(at) && at >= 1 && at <= records.length))
      throw forkInvalid(runId, `record ${at}`, `It has records 1 to ${records.length}.`);
    const end = endFrom(records, at);
    if (end < at)
      throw forkInvalid(runId, `record ${at}`, `The records of its end begin there: fork it at record ${end}.`);
    return at;
  }
  const first = records.findIndex(({ event }) => event.type === 'phase.started' && event.phase === at.phase);
  if (first > 0) return first;
  throw forkInvalid(runId, `phase "${at.phase}"`, whyNotStarted(records, at.phase));
}

/** A hint for a phase that has not started, with the names of all phases if the run has no phase of that name. */
function whyNotStarted(records: readonly RunRecord[], wanted: string): string {
  const names = phaseNames(records);
  if (names.includes(wanted)) return 'That phase has not started in this run.';
  const meant = nearest(wanted, names);
  return `${meant === undefined ? '' : `Did you mean "${meant}"? `}Its phases are ${cutList(names, MOST_NAMED).join(', ')}.`;
}

function phaseNames(records: readonly RunRecord[]): readonly string[] {
  const first = records[0]?.event;
  return first?.type === 'run.started' ? definitionOf(records, first).plan.phases.map(({ name }) => name) : [];
}

/** Records up to and with a decision, which is replaced. */
function withOtherDecision(
  runId: string,
  records: readonly RunRecord[],
  at: ForkOptions['at'],
  decision: Decision,
): readonly RunRecord[] {
  const index =
    typeof at === 'number'
      ? at - 1
      : records.findLastIndex(({ event }) => event.type === 'review.decided' && event.phase === at.phase);
  const decided = records[index];
  if (typeof at !== 'number' && !phaseNames(records).includes(at.phase))
    throw forkInvalid(runId, `phase "${at.phase}"`, whyNotStarted(records, at.phase));
  if (decided?.event.type !== 'review.decided' || decided.event.by === 'worker') {
    const point = typeof at === 'number' ? `record ${at}` : `a decision on phase "${at.phase}"`;
    throw forkInvalid(runId, point, 'Only the decision of a review.decided record can be replaced.');
  }
  const { phase, generation, attempt, by } = decided.event;
  const verdict = retargetedAt(records.slice(0, index), phase, by, decisionSchema.parse(decision));
  // A person decides after the reviewers did, so their verdicts stay. The verdict of a gate is computed from them.
  const verdicts = by === 'person' ? decided.event.verdicts : {};
  if (by === 'person') checkDecision(records.slice(0, index), phase, verdict);
  const event: RunEvent = { type: 'review.decided', phase, generation, attempt, verdict, verdicts, by };
  return [...records.slice(0, index), { ...decided, event }];
}

/** A decision with its target corrected as the run would have corrected it at that point. */
function retargetedAt(before: readonly RunRecord[], phase: string, by: DecidedBy, decision: Decision): Decision {
  const first = before[0]?.event;
  if (first?.type !== 'run.started') return decision;
  const { plan } = definitionOf(before, first);
  const graph = planGraph(plan);
  const index = graph.indexOf.get(phase);
  const gate = index === undefined ? undefined : plan.phases[index]?.gate;
  if (index === undefined || !gate) return decision;
  if (by === 'gate') return retarget(decision, phase, gate);
  return retarget(decision, phase, { targets: namesAbove(graph, index), onInvalidTarget: 'approve' });
}

/** Refuses a decision that a person could not have taken at that point. @throws PhasegateError as `decide` of a run does. */
function checkDecision(before: readonly RunRecord[], phase: string, decision: Decision): void {
  const first = before[0]?.event;
  if (first?.type !== 'run.started') return;
  const inbox = foldInbox();
  for (const record of before) inbox.apply(record);
  validateDecision(definitionOf(before, first).plan, inbox.open(), phase, decision);
}

/** The records, with the first one marked as that of a fork. */
export function markedAsFork([first, ...rest]: readonly RunRecord[], at: number): readonly RunRecord[] {
  if (first?.event.type !== 'run.started') return [];
  return [{ ...first, event: { ...first.event, forked: { at, records: rest.length + 1 } } }, ...rest];
}

function forkInvalid(runId: string, point: string, hint: string): PhasegateError {
  return new PhasegateError('FORK_INVALID', `Cannot fork run ${runId} at ${point} as it has no such point`, { hint });
}
