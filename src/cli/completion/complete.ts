/**
 * `phasegate __complete`, which the scripts of `phasegate completion` ask at each Tab.
 *
 * The first line is `words`, or `files` with the endings of files that fit as well. Each other line is a word, a tab, and what it means.
 *
 * @module
 */
import type { Command } from 'commander';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { cut, oneLine } from '../terminal/text.ts';
import { candidatesFor, type Candidates } from './candidates.ts';

/** Prints what the last of these words may be. Where that cannot be found out nothing is printed: somebody is typing. */
export async function complete(program: Command, words: readonly string[], io: ProgramIo): Promise<ExitCode> {
  try {
    const found = await candidatesFor(program, words.slice(0, -1), words.at(-1) ?? '', async (kept, store) =>
      (await import('./stored-words.ts')).keptIn(kept, store, io),
    );
    io.stdout.write(textOf(found));
  } catch {
    // A store that cannot be read is for the command to tell of.
  }
  return exitCode.completed;
}

// --- internal ---

/** Columns of a note. */
const NOTE_WIDTH = 70;

function textOf({ words, endings }: Candidates): string {
  const first = endings === undefined ? 'words' : ['files', ...endings].join(' ');
  const lines = words.map(({ word, note }) => `${word}\t${cut(oneLine(note), NOTE_WIDTH)}`);
  return `${[first, ...lines].join('\n')}\n`;
}
