/**
 * Expectations of a case of conformance.
 *
 * @module
 */
import { expect } from 'vitest';
import type { Execution, Played, RunCase } from './play.ts';

/** Compares a run with its case. */
export function expectCase(one: RunCase, { trace, result, events, together }: Played): void {
  if (one.order === 'total') expect(trace).toEqual(one.trace);
  else {
    for (const { name } of one.phases) expect(ofPhase(trace, name)).toEqual(ofPhase(one.trace, name));
    expect(trace).toHaveLength(one.trace.length);
    expect(startedTooEarly(one, trace)).toEqual([]);
  }
  for (const name of one.overlap ?? []) expect(together.at(-1)).toContain(name);

  const phases = Object.entries(result.phases);
  expect(Object.fromEntries(phases.map(([name, phase]) => [name, phase.status]))).toEqual(one.statuses);
  expect(result.status).toBe(one.ends);
  expect(result.outputs).toEqual(one.outputs);
  expect(phases.filter(([, phase]) => phase.exhausted).map(([name]) => name)).toEqual(one.exhausted ?? []);
  expect(phases.flatMap(([, phase]) => (phase.status === 'rejected' ? phase.reason : []))).toEqual(
    one.reason === undefined ? [] : [one.reason],
  );
  const warned = [...(one.exhausted ?? []), ...(one.warnings ?? [])];
  expect(result.warnings.map((warning) => warning.phase)).toEqual(warned);
  expect(happened(events)).toEqual(expected(one.trace));
}

// --- internal ---

function ofPhase(trace: readonly Execution[], name: string): readonly Execution[] {
  return trace.filter((one) => phaseOf(one) === name);
}

function phaseOf({ task, review }: Execution): string | undefined {
  return review ?? task?.split('/')[0];
}

/** Returns the phases that started before a predecessor was finished. It applies to cases without rewinds. */
function startedTooEarly({ phases }: RunCase, trace: readonly Execution[]): readonly string[] {
  const order = trace.map(phaseOf);
  return phases.flatMap(({ name, after = [] }) =>
    order.includes(name) && after.some((one) => order.lastIndexOf(one) > order.indexOf(name)) ? name : [],
  );
}

/** Counts the events of each type, to compare them with the calls of handlers. */
function happened(events: readonly { readonly type: string }[]) {
  const count = (type: string) => events.filter((event) => event.type === type).length;
  return {
    started: count('task.started'),
    completed: count('task.completed'),
    failed: count('task.failed'),
    reviewed: count('review.decided'),
  };
}

function expected(trace: readonly Execution[]): ReturnType<typeof happened> {
  const tasks = trace.filter((one) => one.task !== undefined);
  const failed = tasks.filter((one) => one.failed).length;
  return {
    started: tasks.length,
    completed: tasks.length - failed,
    failed,
    reviewed: trace.length - tasks.length,
  };
}
