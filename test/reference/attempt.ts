/**
 * One execution of the tasks of a phase.
 *
 * @module
 */
import { askSoon } from './inbox.ts';
import { spend } from './limits.ts';
import type { Bid } from './charge.ts';
import { ask, giveBack, look, stopSiblings } from './reservations.ts';
import { callOf, TRY_BACKOFF, type TaskAct, type TaskSpec } from './scenario.ts';
import { at, later, nextCall, say, type Phase, type World } from './world.ts';

/** The end of an attempt. */
export type Attempted =
  | { readonly type: 'done'; readonly outputs: Readonly<Record<string, unknown>> }
  | { readonly type: 'failed'; readonly code: 'TASK_FAILED' | 'ANSWER_OVERDUE' }
  | { readonly type: 'rework'; readonly target: string; readonly feedback: string };

/** Runs the tasks of a phase. Calls `end` once, unless the phase is stopped before. */
export function runTasks(world: World, phase: Phase, end: (attempted: Attempted) => void): void {
  const { tasks, mode } = phase.spec;
  const outputs: Record<string, unknown> = {};
  const begun = new Set<string>();
  let over = false;

  function isFree(task: TaskSpec, index: number): boolean {
    if (begun.has(task.name)) return false;
    if (mode === 'parallel') return true;
    if (mode === 'sequential') return tasks.slice(0, index).every((one) => one.name in outputs);
    return task.after.every((one) => one in outputs);
  }

  function beginFree(): void {
    for (const [index, task] of tasks.entries()) {
      if (!isFree(task, index)) continue;
      begun.add(task.name);
      attempt(task, 1);
    }
  }

  function finish(attempted: Attempted): void {
    if (attempted.type !== 'done') stopSiblings(world, phase);
    if (world.ended !== undefined) return;
    over = true;
    end(attempted);
  }

  function attempt(task: TaskSpec, number: number): void {
    ask(
      world,
      { phase, task: task.name, reviewer: false, most: task.estimate },
      () => over,
      (bid) => begin(task, number, bid),
    );
  }

  function begin(task: TaskSpec, number: number, bid: Bid): void {
    const where = { ...at(phase), task: task.name, try: number };
    say(world, 'task.started', phase.name, where);
    for (const source of task.asks) {
      if (!phase.asked.has(source)) say(world, 'phase.read', phase.name, { ...at(phase), source });
      phase.asked.add(source);
    }
    for (const [source, names] of Object.entries(task.parts ?? {}))
      phase.parts.set(source, new Set([...(phase.parts.get(source) ?? []), ...names]));
    const { nth, delay } = nextCall(world, `${phase.name}/${task.name}`);
    const act = callOf<TaskAct>(task.calls, nth, { do: 'put', value: 0 });
    if (task.asked) {
      world.promised.delete(bid);
      return askPerson(task, number, act, act.delay ?? delay);
    }
    later(world, phase, act.delay ?? delay, () => {
      if (over) return;
      if (act.tokens !== undefined && !spend(world, phase, task.name, false, act.tokens, bid)) return;
      giveBack(world, bid);
      if (world.ended !== undefined) return;
      switch (act.do) {
        case 'put':
          return put(task, number, act.value);
        case 'throw':
          return fail(task, number, 'TASK_FAILED');
        case 'rework':
          say(world, 'task.failed', phase.name, where);
          return finish({ type: 'rework', target: act.phase, feedback: act.feedback });
      }
    });
  }

  function put(task: TaskSpec, number: number, output: number): void {
    outputs[task.name] = output;
    say(world, 'task.completed', phase.name, { ...at(phase), task: task.name, try: number, output });
    if (tasks.every((one) => one.name in outputs)) return finish({ type: 'done', outputs: inOrder(tasks, outputs) });
    // Earlier requests are served before later ones.
    look(world);
    beginFree();
  }

  function fail(task: TaskSpec, number: number, code: 'TASK_FAILED' | 'ANSWER_OVERDUE'): void {
    const where = { ...at(phase), task: task.name, try: number };
    if (number >= task.tries) {
      say(world, 'task.failed', phase.name, where);
      return finish({ type: 'failed', code });
    }
    say(world, 'task.retrying', phase.name, where);
    later(world, phase, TRY_BACKOFF, () => !over && attempt(task, number + 1));
  }

  /** Asks a person as a task: the answer is its output, and at the deadline it fails (rules 29 and 34). */
  function askPerson(task: TaskSpec, number: number, act: TaskAct, delay: number): void {
    const question = { phase, name: task.name, reviewer: false, policy: task.asked, isVoid: () => over };
    askSoon(world, question, delay, {
      answered: () => put(task, number, act.do === 'put' ? act.value : 0),
      overdue: () => fail(task, number, 'ANSWER_OVERDUE'),
    });
  }

  beginFree();
}

// --- internal ---

function inOrder(tasks: readonly TaskSpec[], outputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(tasks.map(({ name }) => [name, outputs[name]]));
}
