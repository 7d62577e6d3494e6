/**
 * `phasegate __complete`, which the completion scripts call at each Tab.
 *
 * The first line is `words`, or `files` with the extensions of files that also fit. Each other line is a word, a tab and a description.
 *
 * @module
 */
import type { Command } from 'commander';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { cut, oneLine } from '../terminal/text.ts';
import { candidatesFor, type Candidates } from './candidates.ts';

/** Prints candidates for the last of these words. Prints nothing if a store cannot be read, as an error would disturb the prompt. */
export async function complete(program: Command, words: readonly string[], io: ProgramIo): Promise<ExitCode> {
  try {
    const found = await candidatesFor(program, words.slice(0, -1), words.at(-1) ?? '', async (kind, store) =>
      (await import('./stored-words.ts')).wordsIn(kind, store, io),
    );
    io.stdout.write(textOf(found));
  } catch {
    // The command itself reports a store that cannot be read.
  }
  return exitCode.completed;
}

// --- internal ---

/** The most columns of a description. */
const NOTE_WIDTH = 70;

function textOf({ words, endings }: Candidates): string {
  const first = endings === undefined ? 'words' : ['files', ...endings].join(' ');
  const lines = words.map(({ word, note }) => `${word}\t${cut(oneLine(note), NOTE_WIDTH)}`);
  return `${[first, ...lines].join('\n')}\n`;
}
