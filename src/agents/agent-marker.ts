/**
 * The mark of processes that were started for an agent.
 *
 * An agent must not answer the questions that are put to people. The mark tells the command line that an agent has called it.
 *
 * @module
 */
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
export function workEnv({ run, phase, task }: Pick<TaskContext, 'run' | 'phase' | 'task'>) {
  return { PHASEGATE_RUN: bare(run), PHASEGATE_PHASE: bare(phase), PHASEGATE_TASK: bare(task) };
}

// --- internal ---

const MARK = 'PHASEGATE_AGENT';

/** A text without the character that ends a variable. */
function bare(text: string): string {
  return text.replaceAll('\0', '').slice(0, 1000);
}
