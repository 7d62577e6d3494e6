/**
 * Paths: decisions from the start of a run to its end.
 *
 * @module
 */
import type { RunStatus } from '../../model/events/event.ts';
import type { Script } from '../rehearsal/script.ts';
import type { Act, PathDecision } from '../decisions/decision.ts';
import type { Step } from '../decisions/draft.ts';
import type { OwnSteps } from './own-steps.ts';
import { pathName } from './path-name.ts';
import { scriptOf } from './path-script.ts';
import { drawPath } from './paths-mermaid.ts';
import type { FoundPath } from './search.ts';
import type { Setting } from '../decisions/setting.ts';

/** One path through the decisions of a pipeline. `rehearse(pipeline, path)` takes it. */
export interface PipelinePath {
  /** Unique, and the same for the same decisions: `plan ✓ · code ↻×2 ✓ · review ↩code …`. `…` stands for approvals up to the end. */
  readonly name: string;
  /** All decisions, in order. */
  readonly decisions: readonly PathDecision[];
  /** The status with which the run ends. */
  readonly end: RunStatus;
  /** Names of the entries of the coverage that the run shows, as `coverageOf` has them. Each once, in order. */
  readonly reaches: readonly string[];
  /** Targets of the cover that this path is the first to reach. */
  readonly targets: readonly string[];
  /** The script that lets a rehearsal take this path. */
  readonly script: Script;
  /** The path as a Mermaid flowchart. */
  mermaid(): string;
}

/** Makes a path. @param start The start of the run. */
export function pathOf(setting: Setting, start: Step, { moves, targets }: FoundPath, own: OwnSteps): PipelinePath {
  const acts = moves.map(({ act }) => act);
  const decisions = acts.flatMap((act) => (isDecision(act) ? [act] : []));
  const end = moves.at(-1)?.step.state.ended ?? start.state.ended ?? 'completed';
  const shown = [start, ...moves.map(({ step }) => step)].flatMap((step) => step.shown);
  return {
    name: pathName(acts),
    decisions,
    end,
    reaches: [...new Set(shown)],
    targets,
    script: scriptOf(setting, start, moves, own),
    mermaid: () => drawPath({ decisions, end }),
  };
}

// --- internal ---

function isDecision(act: Act): act is PathDecision {
  return act.decision !== 'done';
}
