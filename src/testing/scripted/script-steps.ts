/**
 * Steps of scripted models and agents, which work in real time.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { counted } from '../../model/values/counts.ts';
import { calledWith, stepOf, type Step } from '../rehearsal/step.ts';

/** Returns a function that does the next step of a list with each call, or a single step with every call. */
export function stepper(who: string, given: unknown): (about: unknown) => unknown {
  const steps: readonly Step[] = Array.isArray(given) ? given.map(stepOf) : [stepOf(given)];
  let done = 0;
  return (about) => {
    const last = steps.at(-1);
    const isEndless = !Array.isArray(given) || last?.isRepeated === true;
    const step = steps[done] ?? (isEndless ? last : undefined);
    done += 1;
    if (!step) throw tooShort(who, steps.length);
    return ended(who, step, about);
  };
}

// --- internal ---

function ended(who: string, { end, afterMs, reports }: Step, about: unknown): unknown {
  if (afterMs > 0 || reports.length > 0) throw unfit(who, 'takes() and reports()');
  switch (end.type) {
    case 'value':
      return end.value;
    case 'call':
      return calledWith(end.call, about);
    case 'error':
      throw end.error;
    case 'silence':
    case 'defined':
    case 'skip':
    case 'abort':
      throw unfit(who, 'silent(), asDefined(), skips() and aborts()');
  }
}

function tooShort(who: string, steps: number): PhasegateError {
  return Object.assign(
    new PhasegateError('SCRIPT_INVALID', `Cannot answer as ${who}: its script ends after ${counted(steps, 'step')}`, {
      hint: 'Add a step, or let the last one be repeats(step).',
    }),
    PERMANENT,
  );
}

function unfit(who: string, steps: string): PhasegateError {
  return Object.assign(
    new PhasegateError('SCRIPT_INVALID', `Cannot answer as ${who} with this step, as ${steps} are for rehearsals`, {
      hint: 'Use a value, a function, fails() or repeats().',
    }),
    PERMANENT,
  );
}

/** Another try does not help. */
const PERMANENT = { retryable: false, permanent: true } as const;
