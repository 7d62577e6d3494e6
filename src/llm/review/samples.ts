/**
 * Majority of several answers to the same question.
 *
 * @module
 */
import { MOST_ISSUES, type Decision } from '../../model/decision/decision.ts';
import type { PriorFinding } from '../../model/decision/issue-schema.ts';
import { withIds } from '../../model/decision/issue.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { retryHintOf } from '../../model/errors/retry-hint.ts';
import { times } from '../../model/values/counts.ts';
import { unusable } from '../call/model-error.ts';

/**
 * The verdict of more than half of the samples, with their findings. Samples that can no longer change the verdict are not
 * awaited.
 *
 * @param asked All running samples.
 * @param who The reviewer, for messages.
 * @throws If there is no majority: the error of failed samples, if they could have made one; otherwise `MODEL_ANSWER_INVALID`.
 */
export async function majority(asked: readonly Promise<Decision>[], who: string): Promise<Decision> {
  const samples = await settledEnough(asked);
  const needed = asked.length / 2;
  const [largest = []] = sidesOf(samples);
  if (largest.length > needed) return joined(largest);
  const errors = samples.flatMap((one) => (one?.status === 'rejected' ? [one.reason as unknown] : []));
  const hints = errors.map(retryHintOf);
  const passing = errors.filter((_, index) => hints[index]?.retryable);
  const lasting = errors.filter((_, index) => hints[index]?.permanent);
  const likely = largest.length + openOf(samples);
  if (passing.length > 0 && likely + passing.length > needed) throw longest(passing);
  if (lasting.length > 0 && likely + passing.length + lasting.length > needed) throw lasting[0];
  throw unusable(
    who,
    `more than half of its ${asked.length} samples have to agree, but the verdicts are ${tally(samples, errors)}`,
    {
      hint: 'The gate asks again by itself (`maxReviewErrors`). If that happens often, state the criteria more precisely.',
      retryable: false,
    },
  );
}

// --- internal ---

const TYPES = [
  'approve',
  'retry',
  'retryPredecessor',
  'escalate',
  'reject',
] as const satisfies readonly Decision['type'][];

/** Results of all samples; `undefined` for one that is still running. */
type Samples = readonly (PromiseSettledResult<Decision> | undefined)[];

/** Waits until more than half of all agree, or none can reach that any more. */
function settledEnough(asked: readonly Promise<Decision>[]): Promise<Samples> {
  return new Promise((resolve) => {
    const samples: Samples[number][] = asked.map(() => undefined);
    const settle = (at: number, one: PromiseSettledResult<Decision>) => {
      samples[at] = one;
      const [largest = []] = sidesOf(samples);
      const needed = asked.length / 2;
      if (largest.length > needed || largest.length + openOf(samples) <= needed) resolve([...samples]);
    };
    for (const [at, one] of asked.entries()) {
      one.then(
        (value) => settle(at, { status: 'fulfilled', value }),
        (reason: unknown) => settle(at, { status: 'rejected', reason }),
      );
    }
  });
}

/** Groups of equal decisions, largest first. */
function sidesOf(samples: Samples): readonly (readonly Decision[])[] {
  const decisions = samples.flatMap((one) => (one?.status === 'fulfilled' ? [one.value] : []));
  const sides = TYPES.map((type) => decisions.filter((one) => one.type === type));
  return sides.toSorted((a, b) => b.length - a.length);
}

function openOf(samples: Samples): number {
  return samples.filter((one) => one === undefined).length;
}

/** Joins equal decisions: every demand and every issue once, and the median of confidence and score. */
function joined(side: readonly Decision[]): Decision {
  const [first] = side;
  const issues = withIds(side.flatMap((one) => one.issues ?? [])).slice(0, MOST_ISSUES);
  const priorFindings = worst(side.flatMap((one) => one.priorFindings ?? []));
  const confidence = middle(side.flatMap((one) => one.confidence ?? []));
  const score = middle(side.flatMap((one) => one.score ?? []));
  const rating = {
    ...(confidence !== undefined && { confidence }),
    ...(score !== undefined && { score }),
    ...(issues.length > 0 && { issues }),
    ...(side.some((one) => one.priorFindings) && { priorFindings }),
  };
  switch (first?.type) {
    case undefined:
    case 'approve':
      return { type: 'approve', ...rating };
    case 'retry':
    case 'retryPredecessor': {
      const demands = side.flatMap((one) => ('feedback' in one ? one : []));
      const changes = once(demands.flatMap((one) => one.requiredChange ?? []));
      const feedback = once(demands.flatMap((one) => one.feedback.split(/\n{2,}/u))).join('\n\n');
      return { ...first, feedback, ...(changes.length > 0 && { requiredChange: changes.join(' ') }), ...rating };
    }
    case 'escalate':
    case 'reject': {
      const reason = once(side.flatMap((one) => ('reason' in one ? one.reason : []))).join('\n\n');
      return { type: first.type, reason, ...rating };
    }
  }
}

/** The median, of two middle values the lower: a model's confidence can be compared, but not averaged. */
function middle(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}

/** The worst status of each finding. */
function worst(said: readonly PriorFinding[]): readonly PriorFinding[] {
  const ids = [...new Set(said.map((one) => one.id))];
  return ids.flatMap((id) => {
    const all = said.filter((one) => one.id === id);
    return all.find((one) => one.status === 'open') ?? all.find((one) => one.status === 'fixed') ?? all[0] ?? [];
  });
}

/** Texts without repetitions. */
function once(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => {
    const words = text.replaceAll(/\s+/gu, ' ').trim().toLowerCase();
    const isNew = words !== '' && !seen.has(words);
    seen.add(words);
    return isNew;
  });
}

/** The error with the longest delay before another try. */
function longest(errors: readonly unknown[]): unknown {
  return errors.toSorted((a, b) => retryHintOf(b).afterMs - retryHintOf(a).afterMs)[0];
}

function tally(samples: Samples, errors: readonly unknown[]): string {
  const said = sidesOf(samples).flatMap((side) => (side[0] ? [`${side[0].type} ${times(side.length)}`] : []));
  const [first] = errors;
  const why = PhasegateError.is(first) ? first.message.split('\n', 1)[0] : String(first);
  return [...said, ...(errors.length > 0 ? [`nothing ${times(errors.length)}: ${why}`] : [])].join(', ');
}
