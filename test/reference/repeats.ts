/**
 * Attempts with unchanged outputs, and repeated demands (rules 39 and 47).
 *
 * @module
 */
import type { DecidedBy } from './judge.ts';
import type { Verdict } from './review.ts';
import { allowedTargets } from './targets.ts';
import { at, say, type Phase, type World } from './world.ts';

/** Starts a phase: sets the outputs that its feedback is about, and its count of unchanged attempts of others. */
export function startOver(world: World, phase: Phase): void {
  const isOwn = phase.status === 'rewinding' && phase.told.some(({ from }) => from === phase.name);
  const waited = phase.status === 'rewinding' && phase.isDone ? phase.tried.at(-1)?.outputs : undefined;
  phase.judged = phase.told.length === 0 ? undefined : ((isOwn ? undefined : phase.commits.at(-1)) ?? waited);
  const others = phase.gate ? allowedTargets(phase, phase.gate) : new Set<string>();
  phase.knownUnchanged = new Map(
    world.phases.flatMap(({ name, unchanged, attempts }) =>
      others.has(name) ? [[name, Math.min(unchanged, attempts - (phase.excused.get(name) ?? 0))]] : [],
    ),
  );
}

/** Compares the outputs of an attempt with those that its feedback is about. */
export function compare(world: World, phase: Phase, outputs: Readonly<Record<string, unknown>>): void {
  const isSame = phase.judged !== undefined && JSON.stringify(outputs) === JSON.stringify(phase.judged);
  phase.unchanged = isSame ? phase.unchanged + 1 : 0;
  if (isSame) say(world, 'attempt.unchanged', phase.name, { ...at(phase), times: phase.unchanged });
}

/** Records a gate's demand in text alone. A decision of a person resets all counts of the phase. */
export function recordText(world: World, phase: Phase, verdict: Verdict, by: DecidedBy): void {
  if (by === 'person') {
    phase.unchanged = 0;
    phase.knownUnchanged = new Map();
    phase.excused = new Map(world.phases.map(({ name, attempts }) => [name, attempts]));
    phase.saying = undefined;
  }
  if (by !== 'gate' || ['unavailable', 'inconclusive', 'unrecognised'].includes(verdict.type)) return;
  const words = wordsOf(verdict);
  const isAgain = words !== undefined && phase.saying?.words === words;
  phase.saying = words === undefined ? undefined : { words, repeats: isAgain ? (phase.saying?.repeats ?? 0) + 1 : 0 };
}

/**
 * Returns the kind of repetition in a gate's demand, once it is frequent enough. A check must repeat both feedback
 * and outputs.
 */
export function repeatsOf(
  phase: Phase,
  target: string,
  verdict: Verdict,
  most: number,
): 'unchanged' | 'feedback' | undefined {
  const times = target === phase.name ? phase.unchanged : (phase.knownUnchanged.get(target) ?? 0);
  const [isUnchanged, isRepeated] = [times >= most, (phase.saying?.repeats ?? 0) >= most];
  if (verdict.type === 'retry' && verdict.checks && !(isUnchanged && isRepeated)) return undefined;
  if (isUnchanged) return 'unchanged';
  return isRepeated ? 'feedback' : undefined;
}

// --- internal ---

function wordsOf(verdict: Verdict): string | undefined {
  if (verdict.type !== 'retry' && verdict.type !== 'retryPredecessor') return undefined;
  if ((verdict.issues ?? []).length > 0 || verdict.feedback === '') return undefined;
  return JSON.stringify([verdict.type === 'retry' ? '' : verdict.phase, verdict.feedback]);
}
