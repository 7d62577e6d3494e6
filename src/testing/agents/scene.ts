/**
 * Scenes that an agent under test plays, and tools for its tests.
 *
 * @module
 */
import assert from 'node:assert/strict';
import type { AgentEvent } from '../../agents/agent-event.ts';
import type { Agent, AgentResult, AgentTurn } from '../../agents/agent.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';

/**
 * Behaviour of the program or service behind an agent, in one turn:
 *
 * - `done`: answers `Hello.` and ends well
 * - `echo`: answers with the prompt
 * - `mark`: answers with the value of its variable `PHASEGATE_AGENT`
 * - `refused`: refuses; `limit`: ends as a limit of its own is reached
 * - `dies`: begins an answer, and ends with exit code 9; `dies after`: ends so after a whole answer
 * - `leaves`: ends well without an answer
 * - `missing`: there is no such program
 * - `hangs`: begins an answer, and waits forever; `deaf`: the same, with a child, and both ignore SIGTERM
 * - `mute`: never says anything; `silent`: begins an answer and says nothing more
 * - `ignores`: answers `Hello.` without reading its prompt
 * - `unknown`: tells of something that no version knows yet, and then answers `Hello.`
 * - `noise`: writes bytes that are no text before `Hello.`
 * - `half`: ends without the end of its last line, which has the answer `Hello.`
 * - `giant`: writes a message that is too long, and then answers `Hello.`
 * - `flood`: tells of a hundred thousand things, and then answers `Hello.`
 * - `background`: answers `Hello.` and leaves a child behind that never ends
 * - `rate`: ends as the provider refuses it for 90 seconds
 */
export type Scene =
  | 'done'
  | 'echo'
  | 'mark'
  | 'refused'
  | 'limit'
  | 'dies'
  | 'dies after'
  | 'leaves'
  | 'missing'
  | 'hangs'
  | 'deaf'
  | 'mute'
  | 'silent'
  | 'ignores'
  | 'unknown'
  | 'noise'
  | 'half'
  | 'giant'
  | 'flood'
  | 'background'
  | 'rate';

/** An agent that plays a scene, and the directory of its turn. Its deadlines are those of the scene: short for `mute` and `silent`. */
export interface Stage {
  readonly agent: Agent;
  /** An existing directory, as an absolute path. */
  readonly cwd: string;
}

/** A turn that was taken. */
export interface Taken {
  readonly outcome: { readonly result: AgentResult } | { readonly error: unknown };
  readonly events: readonly AgentEvent[];
  /** Ids of its process groups. */
  readonly groups: readonly number[];
}

/** Takes a turn. @param onText Called with the first text of the answer. */
export async function take({ agent, cwd }: Stage, more: Partial<AgentTurn> = {}, onText?: () => void): Promise<Taken> {
  const events: AgentEvent[] = [];
  const groups: number[] = [];
  const turn: AgentTurn = {
    prompt: 'Do it.',
    cwd,
    signal: new AbortController().signal,
    access: 'write',
    permissions: {},
    onEvent(event) {
      events.push(event);
      if (event.type === 'text') onText?.();
    },
    onProcess: (pid) => void groups.push(pid),
    ...more,
  };
  const outcome = await agent.run(turn).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  return { outcome, events, groups };
}

/** The result of a turn; fails if it was rejected. */
export function resultOf({ outcome }: Taken): AgentResult {
  if ('result' in outcome) return outcome.result;
  return assert.fail(`Expected a result, but got an error: ${errorInfo(outcome.error).message}`);
}

/** Asserts that a turn was rejected with `AGENT_FAILED`. @returns The error, as JSON. */
export function failureOf({ outcome }: Taken): ReturnType<typeof errorInfo> & { readonly message: string } {
  if ('result' in outcome) return assert.fail(`Expected AGENT_FAILED, but got ${JSON.stringify(outcome.result)}`);
  const { error } = outcome;
  assert.ok(PhasegateError.is(error), `Expected AGENT_FAILED, but got another error: ${errorInfo(error).message}`);
  assert.equal(error.code, 'AGENT_FAILED');
  return errorInfo(error);
}

/** The texts of the answer, joined. */
export function textIn({ events }: Taken): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

/** Asserts that no process of a turn is left. The system may list one that was killed until its parent has noticed, so it gets some time. */
export async function assertEnded({ groups }: Pick<Taken, 'groups'>): Promise<void> {
  const until = performance.now() + NOTICED_MS;
  while (groups.some(isListed) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const group of groups) assert.ok(!isListed(group), `Processes of group ${group} still run`);
}

// --- internal ---

const NOTICED_MS = 10_000;

function isListed(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
