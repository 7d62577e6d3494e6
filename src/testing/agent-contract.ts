/**
 * The contract of agents, as tests for any test runner.
 *
 * @module
 */
import { answerCases, type AgentClaim } from './agents/answers.ts';
import { endingCases } from './agents/endings.ts';
import { noiseCases } from './agents/noise.ts';
import type { Scene, Stage } from './agents/scene.ts';

/** One test. */
export interface AgentCase {
  /** Its subject, such as `answers`. */
  readonly about: string;
  /** Its claim. */
  readonly name: string;
  /** Rejects if the claim does not hold. */
  readonly run: () => Promise<void>;
}

/**
 * The tests that an agent must pass, as a list.
 *
 * @param make Makes an agent and a directory, for each test.
 * @param scenes Scenes that the agent can play.
 */
export function agentCases(make: (scene: Scene) => Stage, scenes: readonly Scene[]): readonly AgentCase[] {
  return Object.entries(GROUPS).flatMap(([about, cases]) =>
    Object.entries(cases)
      .filter(([, [scene]]) => scenes.includes(scene))
      .map(([name, [scene, test]]) => ({ about, name, run: () => test(make(scene)) })),
  );
}

// --- internal ---

const GROUPS: Readonly<Record<string, Readonly<Record<string, AgentClaim>>>> = {
  answers: answerCases,
  endings: endingCases,
  noise: noiseCases,
};
