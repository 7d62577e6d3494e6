/**
 * The last line of the live tree: the progress and usage of a run.
 *
 * @module
 */
import type { RunTimes } from '../../model/events/run-times.ts';
import type { Limits } from '../../model/plan/policy-schema.ts';
import type { RunSnapshot } from '../../projections/run/run-result.ts';
import { dollars, thousands } from '../../projections/wording/amount-words.ts';
import { lineWidth, span, type Line, type Span } from '../terminal/line.ts';
import { duration } from '../terminal/text.ts';
import type { RunFold } from './run-fold.ts';

/**
 * Draws approved phases, limits that hold the run, corrections, tokens, cost and time, with their limits if there are some.
 * If not everything fits, the least important parts are left out.
 *
 * @param now Milliseconds since 1970, at which running times end.
 */
export function progressLine(state: RunFold, columns: number, now: number): Line {
  const parts = partsOf(state, now);
  for (const least of [4, 3, 2, 1]) {
    const line = joined(parts.filter(({ importance }) => importance <= least).map(({ full }) => full));
    if (lineWidth(line) <= columns) return line;
  }
  const line = joined(parts.flatMap(({ importance, short }) => (importance === 1 ? [short] : [])));
  return lineWidth(line) <= columns ? line : line.slice(0, 1);
}

// --- internal ---

interface Part {
  readonly full: Span;
  readonly short: Span;
  /** The rank of the part; 1 is the most important. */
  readonly importance: 1 | 2 | 3 | 4;
}

function partsOf(state: RunFold, now: number): readonly Part[] {
  const snapshot = state.snapshot();
  const { metrics } = snapshot;
  const limits = state.plan?.limits ?? {};
  const money = limits.costUsd === undefined ? '' : ` of ${dollars(limits.costUsd)}`;
  return [
    approved(snapshot),
    ...state.waiting().limits.map(held),
    ...(metrics.corrections > 0 || limits.corrections !== undefined
      ? [part(3, `${of(metrics.corrections, limits.corrections)} ${noun(limits.corrections ?? metrics.corrections)}`)]
      : []),
    ...(metrics.tokens > 0 ? [part(4, `${of(metrics.tokens, limits.tokens, thousands)} tokens`)] : []),
    ...(metrics.costUsd > 0 ? [part(2, `${dollars(metrics.costUsd)}${money}`)] : []),
    ...timeParts(state.times(now), limits),
  ];
}

function approved({ phases }: RunSnapshot): Part {
  const all = Object.values(phases);
  const count = `${all.filter(({ status }) => status === 'approved').length}/${all.length}`;
  return { full: span(`${count} approved`), short: span(count), importance: 1 };
}

/** Formats the time of work if it is limited; and the whole time if it is limited or differs from the time of work. */
function timeParts({ durationMs, elapsedMs }: RunTimes, limits: Limits): readonly Part[] {
  const [work, all] = [duration(durationMs), duration(elapsedMs)];
  const deadline = limits.deadlineMs === undefined ? '' : ` of ${duration(limits.deadlineMs)}`;
  if (limits.durationMs === undefined) return [part(1, `${all}${deadline}`, all)];
  const atWork = part(1, `${work} of ${duration(limits.durationMs)} at work`, work);
  return deadline === '' && all === work ? [atWork] : [atWork, part(4, `${all}${deadline}`)];
}

function held(limit: string): Part {
  return {
    full: span(`held by the limit ${limit}`, 'warn'),
    short: span('held', 'warn'),
    importance: 1,
  };
}

function part(importance: Part['importance'], full: string, short: string = full): Part {
  return { full: span(full, 'dim'), short: span(short, 'dim'), importance };
}

function of(used: number, max: number | undefined, text: (value: number) => string = String): string {
  return max === undefined ? text(used) : `${text(used)} of ${text(max)}`;
}

function noun(count: number): string {
  return count === 1 ? 'correction' : 'corrections';
}

function joined(spans: readonly Span[]): Line {
  return spans.flatMap((one, index) => (index === 0 ? [one] : [span(' · ', 'dim'), one]));
}
