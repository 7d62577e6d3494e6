/**
 * Parts of a pipeline that decide about its run, and that the model of decisions cannot see. They are refused by name.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Estimate } from '../../model/plan/options.ts';
import type { StandardSchemaV1 } from '../../model/values/standard-schema.ts';
import { fullName } from '../rehearsal/script.ts';
import { sample } from '../rehearsal/sample.ts';
import { ownStep, type OwnSteps } from './own-steps.ts';
import { unknownPart } from './refused.ts';
import type { Seat, Setting } from '../decisions/setting.ts';

/** @throws PhasegateError `PATHS_UNKNOWN` if a run may decide by outputs, schemas or estimates. */
export function requireKnown(setting: Setting, own: OwnSteps): void {
  const changes = setting.seats.some(({ gate }) => gate?.plan.invalidate === 'changed');
  for (const seat of setting.seats) {
    requireNew(setting, seat, own, changes);
    requireInput(setting, seat, own);
  }
  requireRoom(setting);
}

// --- internal ---

/** Attempts whose outputs are compared. */
const COMPARED = 8;

/** Outputs that repeat may be a loop, or leave the readers of a commit alone. */
function requireNew(setting: Setting, seat: Seat, own: OwnSteps, all: boolean): void {
  const isJudged = setting.findsLoops || all;
  if (!isJudged || seat.tasks.some(({ name }) => ownStep(setting, own.tasks ?? {}, seat.name, name, 1).length > 0))
    return;
  const outputs = Array.from({ length: COMPARED }, (_, index) => JSON.stringify(outputsOf(setting, seat, index + 1)));
  const repeats = all
    ? new Set(outputs).size < COMPARED
    : outputs.some((one, index) => index > 0 && one === outputs[index - 1]);
  if (!repeats) return;
  throw unknownPart(
    setting.plan.name,
    `the samples of phase "${seat.name}" repeat, as its schemas have few values, and a gate may take that for a loop`,
    `Give its outputs: paths(pipeline, { tasks: { ${JSON.stringify(seat.name)}: … } }), or set loopAfter: 'unlimited'.`,
  );
}

function requireInput(setting: Setting, seat: Seat, own: OwnSteps): void {
  const schema = setting.work.phases.get(seat.name)?.input;
  const before = setting.seats.filter(({ name }) => seat.plan.after.includes(name));
  const isOwn = before.some(({ name, tasks }) =>
    tasks.some((task) => ownStep(setting, own.tasks ?? {}, name, task.name, 1).length > 0),
  );
  if (!schema || isOwn) return;
  const inputs = Object.fromEntries(before.map((one) => [one.name, outputsOf(setting, one, 1)]));
  const found = problemOf(schema, inputs);
  if (found === undefined) return;
  throw unknownPart(
    setting.plan.name,
    `the input schema of phase "${seat.name}" ${found}`,
    'Give outputs that it accepts: paths(pipeline, { tasks: { … } }).',
  );
}

function problemOf(schema: StandardSchemaV1, value: unknown): string | undefined {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) return 'answers later, so it cannot be tried before the run';
  return result.issues && `refuses samples: ${result.issues[0]?.message ?? ''}`;
}

/** Tries must not wait for room in a limit, or be refused. */
function requireRoom({ plan, seats }: Setting): void {
  const workers = seats.flatMap(({ plan: { tasks, gate } }) => [
    ...tasks,
    ...(gate?.reviewers ?? []),
    ...(gate?.reflect ? [gate.reflect] : []),
  ]);
  for (const name of ['tokens', 'costUsd', 'durationMs', 'deadlineMs'] as const) {
    const max = plan.limits[name];
    const part: keyof Estimate = name === 'deadlineMs' ? 'durationMs' : name;
    const sum = workers.reduce((total, { estimate }) => total + (estimate[part] ?? 0), 0);
    if (max === undefined || sum <= max) continue;
    throw unknownPart(
      plan.name,
      `its estimates are ${sum} in all, and the limit ${name} is ${max}`,
      'Raise the limit: paths do not know which try has to wait for room.',
    );
  }
}

function outputsOf(setting: Setting, { name, tasks }: Seat, nth: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    tasks.map((task) => {
      const { choices, schema } = task.question ?? {};
      const its = setting.work.phases.get(name)?.tasks.get(task.name);
      return [
        task.name,
        choices ? choices[nth % choices.length] : sampleOf(setting, name, task.name, its?.output ?? schema, nth),
      ];
    }),
  );
}

/** Returns the sample of a task. @throws PhasegateError `PATHS_UNKNOWN` if it has none. */
export function sampleOf(
  { plan }: Setting,
  phase: string,
  task: string,
  schema: StandardSchemaV1 | undefined,
  nth: number,
): unknown {
  try {
    return sample(schema, nth);
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
    const name = fullName(phase, task);
    throw unknownPart(
      plan.name,
      `task "${name}" has no sample: ${error.message.split('\n')[0] ?? ''}`,
      `Give its steps: paths(pipeline, { tasks: { ${JSON.stringify(name)}: … } }).`,
    );
  }
}
