/**
 * People of a rehearsal: they answer items of the inbox by the script.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { Reply } from '../../projections/inbox/reply.ts';
import type { Run } from '../../runtime/run.ts';
import type { Performer } from './performer.ts';
import { fullName } from './script.ts';
import { calledWith, Step, stepOf } from './step.ts';
import { tracedEnd, type StepResult, type TraceStep } from './trace.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Answers items, each once. */
export class People {
  readonly #known = new Set<string>();
  readonly #performer: Performer;
  readonly #clock: VirtualClock;
  readonly #fail: (error: unknown) => void;

  /** @param fail Takes errors of the script, and refused answers. */
  constructor(performer: Performer, clock: VirtualClock, fail: (error: unknown) => void) {
    this.#performer = performer;
    this.#clock = clock;
    this.#fail = fail;
  }

  /**
   * Lets people answer the open items of a run that are new.
   *
   * @param run Returns the run as the living process has it; `undefined` if there is none.
   * @returns True if there are new ones.
   */
  answer(run: () => Run<unknown> | undefined): boolean {
    const items = (run()?.inbox() ?? []).filter((item) => !this.#known.has(keyOf(item)));
    for (const item of items) {
      this.#known.add(keyOf(item));
      const taken = this.#performer.person(item.about, item.task);
      if (!taken) throw unanswered(item);
      const { done } = taken;
      const step = resolved(taken.step, item);
      if (step.end.type === 'silence') done.push({ silent: true });
      else this.#schedule(item, step, done, run);
    }
    return items.length > 0;
  }

  #schedule(item: InboxItem, step: Step, done: TraceStep[], run: () => Run<unknown> | undefined): void {
    const place = done.push({ silent: true }) - 1;
    this.#clock.setTimeout(() => {
      // The item may have been closed without an answer meanwhile, such as by its expiry.
      const open = run();
      if (!open?.inbox().some(({ id }) => id === item.id)) return;
      const { reply, traced } = replyOf(item, step);
      done[place] = { ...tracedEnd(traced, step.afterMs, []), ...(step.by !== undefined && { by: step.by }) };
      open.answer(item.id, reply, { by: step.by }).catch(this.#fail);
    }, step.afterMs);
  }
}

// --- internal ---

/** A question that moves to another queue is put to another person. */
function keyOf({ id, queue }: InboxItem): string {
  return JSON.stringify([id, queue]);
}

/** Calls the function of a step, which returns an answer, or another step. */
function resolved(step: Step, item: InboxItem): Step {
  if (step.end.type !== 'call') return step;
  const { afterMs, by } = step;
  const next = stepOf(calledWith(step.end.call, item));
  return resolved(new Step(next.end, { afterMs: afterMs + next.afterMs, by: next.by ?? by }), item);
}

function replyOf(item: InboxItem, { end }: Step): { readonly reply: Reply; readonly traced: StepResult } {
  switch (end.type) {
    case 'value': {
      const { value } = end;
      const traced = { value };
      if (item.kind === 'task') return { reply: { type: 'value', value }, traced };
      // The run validates the decision.
      return { reply: z.custom<Reply>().parse({ type: 'decide', decision: value }), traced };
    }
    case 'skip':
    case 'abort': {
      const reason = end.reason === undefined ? {} : { reason: end.reason };
      const traced = end.type === 'skip' ? { skip: true as const, ...reason } : { abort: true as const, ...reason };
      return { reply: { type: end.type, ...reason }, traced };
    }
    case 'call':
    case 'error':
    case 'silence':
    case 'defined':
      throw new PhasegateError(
        'SCRIPT_INVALID',
        `Cannot let a person answer about "${fullName(item.about, item.task)}" with a step that is no answer`,
        { hint: 'A person gives a decision or a value, skips(), aborts(), or is silent().' },
      );
  }
}

function unanswered(item: InboxItem): PhasegateError {
  const name = fullName(item.about, item.task);
  return new PhasegateError(
    'SCRIPT_INVALID',
    `Cannot continue the rehearsal as a person is asked about "${name}" (${item.because}), and the script has no answer: ${item.reason}`,
    { hint: `Add one, such as people: { ${JSON.stringify(name)}: approve() }, or silent() if nobody answers.` },
  );
}
