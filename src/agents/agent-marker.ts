/**
 * The mark of processes that were started for an agent.
 *
 * An agent must not answer the questions that are put to people. The mark tells the command line that an agent has called it. A command
 * that is refused so is noted in a file, from which the turn of the agent makes warnings.
 *
 * @module
 */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { bare } from '../actors/command/process-groups.ts';
import type { TaskContext } from '../model/handlers/task.ts';

/** True if this process, or one that started it, is an agent of phasegate. Any value of the variable counts. @param env @default `process.env` */
export function startedByAgent(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return (env[MARK] ?? '') !== '';
}

/** The variables of an agent's process. The mark is last, so that no other variable removes it. */
export function agentEnv(env: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return { ...env, [MARK]: '1' };
}

/** The variables that name the work of a turn. */
export function workEnv({ run, phase, task, attempt }: Pick<TaskContext, 'run' | 'phase' | 'task' | 'attempt'>) {
  return {
    PHASEGATE_RUN: bare(run),
    PHASEGATE_PHASE: bare(phase),
    PHASEGATE_TASK: bare(task),
    PHASEGATE_ATTEMPT: String(attempt),
  };
}

/** The variable that names the file of refused commands. */
export function refusalsEnv(path: string): Readonly<Record<string, string>> {
  return { [REFUSALS]: path };
}

/**
 * Notes a command that was refused, for the turn of the agent that gave it. Never throws, and never creates a file: after the turn, or in a
 * sandbox that forbids writing, nothing is noted.
 *
 * @param action Such as `answer item r1:3`. It is cut to 300 characters.
 */
export function noteRefusal(action: string, env: Readonly<Record<string, string | undefined>> = process.env): void {
  const path = env[REFUSALS] ?? '';
  if (path === '') return;
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | SAFE_OPEN);
    try {
      if (!fstatSync(file).isFile()) return;
      writeSync(file, `${JSON.stringify({ action: action.slice(0, LONGEST_ACTION), time: Date.now() })}\n`);
    } finally {
      closeSync(file);
    }
  } catch {
    // The command is refused in any case.
  }
}

/**
 * Flags for a file that an agent can replace: a named pipe would block this process, and a link would lead elsewhere. Windows has neither
 * flag.
 */
export const SAFE_OPEN = (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Most characters of a refused action. */
export const LONGEST_ACTION = 300;

// --- internal ---

const MARK = 'PHASEGATE_AGENT';
const REFUSALS = 'PHASEGATE_REFUSALS';
