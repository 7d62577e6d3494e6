/**
 * Goals of a cover: the targets that its paths have to reach.
 *
 * @module
 */
import type { Act } from '../decisions/decision.ts';
import type { Step } from '../decisions/draft.ts';
import { decisionName } from './path-name.ts';

/** The row of a step, for pairs of rows; `null` if it shows none. */
export function rowOf(act: Act, { shown }: Step): string | null {
  if (act.by === 'person' || act.by === 'clock') return decisionName(act);
  const rows = shown.filter((name) => name.startsWith('gate '));
  return rows.length > 0 ? rows.join(', ') : null;
}

/** Targets that are reached one after the other. */
export class Goal {
  readonly #kind: GoalKind;
  readonly #asked: ReadonlySet<string>;
  readonly #reached = new Set<string>();

  /** @param asked Targets of the coverage that count. */
  constructor(kind: GoalKind, asked: Iterable<string>) {
    this.#kind = kind;
    this.#asked = new Set(asked);
  }

  /** True if decisions of people are targets of their own, each by the phase that it sends back. */
  get namesDecisions(): boolean {
    return this.#kind !== 'entries';
  }

  /** Targets that the plan asks for and nothing has reached. */
  get left(): readonly string[] {
    return [...this.#asked].filter((name) => !this.#reached.has(name));
  }

  /** Lists the targets of a step that are new. @param last The row before the step. */
  newIn(act: Act, step: Step, last: string | null): readonly string[] {
    const names = step.shown.filter((name) => this.#asked.has(name));
    if (this.#kind === 'people' && act.by !== 'gate' && act.by !== 'task') names.push(decisionName(act));
    const row = this.#kind === 'pairs' && last !== null ? rowOf(act, step) : null;
    if (row !== null) names.push(`${last ?? ''} → ${row}`);
    return names.filter((name) => !this.#reached.has(name));
  }

  /** Notes targets that a path reaches. */
  reach(names: readonly string[]): void {
    for (const name of names) this.#reached.add(name);
  }

  /** Forgets targets of a path that has become too long. */
  forget(names: readonly string[]): void {
    for (const name of names) this.#reached.delete(name);
  }
}

/** Targets besides entries of the coverage: pairs of rows that follow each other, or decisions of people. */
export type GoalKind = 'entries' | 'pairs' | 'people';
