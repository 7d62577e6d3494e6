/**
 * Facts about an attempt that its command gets, as environment variables and on standard input.
 *
 * @module
 */
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { ReflectContext } from '../../model/handlers/reflector.ts';
import type { TaskContext } from '../../model/handlers/task.ts';

/** Context of a command, which may be a task, a reviewer, a check or a reflect call. */
export interface CommandContext
  extends
    Omit<TaskContext, 'inputs' | 'context'>,
    Partial<Pick<ReviewContext, 'difference' | 'unchanged' | 'retriesLeft' | 'rewindsLeft'>>,
    Partial<Pick<ReflectContext, 'rejected' | 'reflections'>> {
  readonly inputs: unknown;
  readonly context: unknown;
  readonly outputs?: unknown;
}

/** Content of a command's standard input: nothing, the whole context as one JSON object, or the prompt. */
export type CommandStdin = 'none' | 'inputs' | 'prompt';

/** Variables about the attempt. Each is always set, and empty if it has no value. */
export function commandEnv(context: CommandContext): Readonly<Record<string, string>> {
  const { revision } = context;
  const variables = {
    PHASEGATE_RUN: context.run,
    PHASEGATE_PHASE: context.phase,
    PHASEGATE_TASK: context.task,
    PHASEGATE_ATTEMPT: String(context.attempt),
    PHASEGATE_GENERATION: String(context.generation),
    PHASEGATE_IDEMPOTENCY_KEY: context.idempotencyKey,
    PHASEGATE_FEEDBACK: revision?.feedback ?? '',
    PHASEGATE_REQUIRED_CHANGE: revision?.requiredChange ?? '',
    PHASEGATE_INPUT: jsonVariable(context.input),
  };
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, variable(value)]));
}

/** The text for a command's standard input. */
export function commandInput(stdin: CommandStdin, context: CommandContext): string | undefined {
  switch (stdin) {
    case 'none':
      return undefined;
    case 'prompt':
      return context.prompt;
    case 'inputs':
      return `${JSON.stringify(everything(context))}\n`;
  }
}

// --- internal ---

/** Most characters of a variable; systems refuse to start a program with a longer one (128 KiB on Linux). */
const LONGEST_VARIABLE = 30_000;

/** A JSON variable; empty if too long, as cut JSON would be invalid. */
function jsonVariable(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  return json.length > LONGEST_VARIABLE ? '' : json;
}

/** A text without the character that ends a variable. */
function variable(text: string): string {
  const bare = text.replaceAll('\0', '');
  return bare.length > LONGEST_VARIABLE ? `${bare.slice(0, LONGEST_VARIABLE)} […]` : bare;
}

/** The context without functions and signals. Counts without a limit are `null`. */
function everything(context: CommandContext): Readonly<Record<string, unknown>> {
  return {
    run: context.run,
    phase: context.phase,
    task: context.task,
    attempt: context.attempt,
    generation: context.generation,
    idempotencyKey: context.idempotencyKey,
    description: context.description,
    prompt: context.prompt,
    input: context.input,
    inputs: { ...Object(context.inputs) },
    context: context.context,
    revision: context.revision ?? null,
    artifacts: context.artifacts,
    ...('outputs' in context && {
      outputs: context.outputs,
      difference: context.difference,
      unchanged: context.unchanged,
      retriesLeft: context.retriesLeft,
      rewindsLeft: context.rewindsLeft,
      rejected: context.rejected,
      reflections: context.reflections,
    }),
  };
}
