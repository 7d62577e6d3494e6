/**
 * A run with a retry, a rewind, and a question to a person. The test releases each step.
 *
 * @module
 */
import { onTestFinished } from 'vitest';
import { startRun, type Run } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { fake, held } from '../rig.ts';
import { pipelineOf } from './runs.ts';

/** The run, and the controls of its steps. */
export interface Story {
  readonly run: Run<unknown>;
  /** Controls that end the attempts of `draft`, one by one. */
  readonly drafts: readonly { readonly release: (value: unknown) => void }[];
}

/** The id of the run. */
export const RUN = 'story-1';

/**
 * Starts the run.
 *
 * ```text
 *   plan ──▶ draft ──▶ check
 *             ▲ ▲─┘ "Make it shorter."      after the first attempt
 *             └────────┘ "Cite a source."   after the second; then `check` asks a person
 * ```
 */
export function startStory(store: RunStore): Story {
  const drafts = [held(), held(), held()];
  const plan = fake('plan', { outputs: ['three points'] });
  const draft = fake('draft', {
    after: ['plan'],
    outputs: drafts.map(({ script }) => script),
    verdicts: ['RETRY: Make it shorter.'],
  });
  const check = fake('check', {
    after: ['draft'],
    verdicts: ['RETRY_PREDECESSOR draft: Cite a source.', 'ESCALATE: Is the source any good?'],
  });
  const run = startRun(pipelineOf('story', [plan, draft, check]), { store, runId: RUN });
  onTestFinished(() => run.cancel('the test is over'));
  return { run, drafts };
}
