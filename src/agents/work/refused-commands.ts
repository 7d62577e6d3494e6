/**
 * Commands of phasegate that were refused to an agent, as warnings of its phase.
 *
 * @module
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { AGENT_COMMAND_REFUSED } from '../../model/events/warning-codes.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import { maskKnown } from '../../model/values/known-secrets.ts';
import { plainText } from '../../model/values/plain-text.ts';
import { LONGEST_ACTION, refusalsEnv, SAFE_OPEN } from '../agent-marker.ts';
import { countOf, fieldsOf, textOf } from '../jsonl/json-fields.ts';
import { withFile } from '../process/turn-files.ts';

/**
 * Does the work of a turn. Commands that are refused to the agent meanwhile become warnings, also if the work fails.
 *
 * @param agent Its name.
 * @param work Gets the variables that the agent's process needs for it.
 */
export async function withRefusals<T>(
  agent: string,
  { task, report }: Pick<TaskContext, 'task' | 'report'>,
  work: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  return withFile('refused.jsonl', '', async (path) => {
    if (path === undefined) return work({});
    try {
      return await work(refusalsEnv(path));
    } finally {
      const refused = await refusalsIn(path);
      const who = `Agent "${agent}" for "${task}"`;
      for (const { action, at } of refused.slice(0, MOST))
        report({
          warning: { code: AGENT_COMMAND_REFUSED, message: `${who} tried to ${action}, and was refused at ${at}` },
        });
      const more = refused.length - MOST;
      if (more > 0) report({ warning: { code: AGENT_COMMAND_REFUSED, message: `${who} tried ${more} more times` } });
    }
  });
}

// --- internal ---

/** Most warnings about single commands in one turn. */
const MOST = 10;
/** Bytes of the file that are read. The agent can write it, too. */
const MOST_BYTES = 64 * 1024;

interface Refusal {
  readonly action: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The refusals in a file; none if it is gone, or is no file any more. A line that is none is left out. */
async function refusalsIn(path: string): Promise<readonly Refusal[]> {
  try {
    const file = await open(path, constants.O_RDONLY | SAFE_OPEN);
    try {
      if (!(await file.stat()).isFile()) return [];
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead).split('\n').flatMap(refusalIn);
    } finally {
      await file.close();
    }
  } catch {
    return [];
  }
}

function refusalIn(line: string): readonly Refusal[] {
  try {
    const { action, time } = fieldsOf(JSON.parse(line));
    const words = maskKnown(plainText(textOf(action).slice(0, LONGEST_ACTION)))
      .replaceAll(/\s+/gu, ' ')
      .trim();
    return words === '' ? [] : [{ action: words, at: new Date(countOf(time) ?? 0).toISOString() }];
  } catch {
    return [];
  }
}
