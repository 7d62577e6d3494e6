/**
 * `phasegate memory`: reflections that later runs read.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { counted } from '../../model/values/counts.ts';
import type { MemoryFilter } from '../../store/port.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText } from '../run/reporter.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { duration, oneLine } from '../terminal/text.ts';

/** Flags that select memories. */
export interface MemoryFlags extends StoreFlags {
  readonly scope?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly phase?: string | undefined;
  /** The id of the run that stored them; the run itself may have been removed. */
  readonly run?: string | undefined;
}

/** Prints memories, the oldest first. */
export async function listMemories(
  { json = false, ...flags }: MemoryFlags & { readonly json?: boolean },
  io: ProgramIo,
): Promise<ExitCode> {
  const { store } = openStore(flags, 'read', io);
  const memories = (await store.memories?.(filterOf(flags))) ?? [];
  await store.close();
  const lines = json
    ? memories.map((one) => JSON.stringify(one))
    : memories.flatMap(({ scope, pipeline, phase, runId, time, text }) => [
        `${oneLine(phase)} of "${oneLine(pipeline)}" in scope "${oneLine(scope)}", run ${oneLine(runId)}, ${duration(Date.now() - time)} ago`,
        `  ${oneLine(text)}`,
      ]);
  io.stdout.write(asText(lines.length === 0 && !json ? ['no memories'] : lines));
  return exitCode.completed;
}

/**
 * Removes the selected memories from the store.
 *
 * @throws PhasegateError `INPUT_INVALID` if neither a filter nor `all` is given.
 */
export async function forgetMemories(
  { all = false, ...flags }: MemoryFlags & { readonly all?: boolean },
  io: ProgramIo,
): Promise<ExitCode> {
  const filter = filterOf(flags);
  if (!all && Object.values(filter).every((one) => one === undefined)) {
    throw new PhasegateError('INPUT_INVALID', 'Cannot forget memories as no filter was given', {
      hint: 'Add --scope, --pipeline, --phase or --run; or --all to forget all memories.',
    });
  }
  const { store } = openStore(flags, 'write', io);
  const forgotten = (await store.forget?.(filter)) ?? 0;
  await store.close();
  io.stdout.write(`forgot ${counted(forgotten, 'reflection')}\n`);
  return exitCode.completed;
}

// --- internal ---

function filterOf({ scope, pipeline, phase, run }: MemoryFlags): MemoryFilter {
  return { scope, pipeline, phase, runId: run };
}
