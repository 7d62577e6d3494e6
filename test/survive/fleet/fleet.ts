/**
 * A fleet with all that a kill can interrupt: levels, a subtask that is sent back, a try that fails, a check in a folder of its own.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { approve, requestChanges, type Pipeline } from '../../../src/index.ts';
import { commandAgent } from '../../../src/agents.ts';
import { compilePlan, gitWorkspace, type AttemptPlace, type Isolation, type LevelReview } from '../../../src/fleet.ts';

/** The program of the agents. */
export const AGENT = fileURLToPath(new URL('agent.sh', import.meta.url));

/** Folders and files of a run. */
export interface Ground {
  /** The user's repository. */
  readonly user: string;
  /** The root of its workspaces. */
  readonly root: string;
  /** The file in which agents write down that they have begun. */
  readonly log: string;
  readonly isolation: Isolation;
}

/** Returns the workspaces of a run. */
export function workspacesOf({ user, root, isolation }: Ground) {
  return gitWorkspace({ repository: user, root, isolation, timeout: 60_000 });
}

/** Compiles the plan. @param agent The path of `agent.sh`. */
export function fleetOf(ground: Ground, agent: string): Pipeline {
  const one = (id: string, ...after: readonly string[]) => ({
    id,
    title: `Do ${id}`,
    description: `Write work/${id}.`,
    depends_on: [...after],
    files_touched: [`work/${id}/`],
  });
  return compilePlan(
    { goal: 'Do all.', subtasks: [one('1'), one('2a', '1'), one('2b', '1'), one('2c', '1'), one('3', '2a', '2b')] },
    {
      workspace: workspacesOf(ground),
      agent: commandAgent(['sh', agent, ground.log], { name: 'scripted' }),
      retry: { attempts: 5, backoff: { first: 4, factor: 1, max: 4 } },
      checks: [{ name: 'work', line: ['test', '-d', 'work'], kind: 'test' }],
      reviewers: [{ name: 'judge', review: judge }],
    },
  );
}

/** An agent that has begun, with the place of its attempt. */
export interface Begun extends AttemptPlace {
  readonly pid: number;
  readonly folder: string;
}

/** Returns the agents that have begun, in order. */
export function begunIn(log: string): readonly Begun[] {
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [pid = '', folder = '', ...marker] = line.split(' ');
    const { place } = markerSchema.parse(JSON.parse(marker.join(' ')));
    return { pid: Number(pid), folder, ...place };
  });
}

// --- internal ---

const markerSchema = z.object({
  place: z.object({
    run: z.string(),
    phase: z.string(),
    generation: z.number(),
    attempt: z.number(),
    task: z.string(),
    key: z.string(),
  }),
});

/** Sends subtask 2b back once. */
function judge({ subtasks, difference }: LevelReview) {
  const isThere = subtasks.some(({ id }) => id === '2b');
  if (!isThere || difference.files.some(({ path }) => path === 'work/2b/help')) return approve();
  const requiredChange = 'Write a help text.';
  return requestChanges([{ severity: 'medium', description: 'It has none.', affectedTask: '2b', requiredChange }]);
}
