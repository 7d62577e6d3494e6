/**
 * Candidates for the next word of a command line.
 *
 * @module
 */
import type { Argument, Command, Option } from 'commander';
import { runOrders } from '../../projections/run/run-order.ts';
import { standings } from '../../store/run-status.ts';
import { optionNamed, optionsOf, readTyped, type Typed } from './command-line.ts';

/** A word with a short description. */
export interface Candidate {
  readonly word: string;
  readonly note: string;
}

/** Kinds of words that only a store knows. */
export type StoredKind = 'run' | 'item' | 'tag';

/** The words and files that may come next. */
export interface Candidates {
  readonly words: readonly Candidate[];
  /** Extensions of files that also fit, without the dot. Empty means any file, `undefined` means no file. */
  readonly endings: readonly string[] | undefined;
}

/** Reads words from a store. @param store The value of `--store` on the command line. */
export type ReadStore = (kind: StoredKind, store: string | undefined) => Promise<readonly Candidate[]>;

/**
 * Finds candidates for a word in the definition of the program.
 *
 * @param words The words before it, without the name of the program.
 * @param last The beginning of the word itself.
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  last: string,
  readStore: ReadStore,
): Promise<Candidates> {
  const typed = readTyped(program, words);
  const found = await anyFor(program, typed, last, readStore);
  return { ...found, words: found.words.filter(({ word }) => word.startsWith(last)) };
}

// --- internal ---

const NONE: Candidates = { words: [], endings: undefined };

/** Extensions of pipeline files. */
const PIPELINE_ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'yaml', 'yml'];

async function anyFor(program: Command, typed: Typed, last: string, readStore: ReadStore): Promise<Candidates> {
  const { command, operands, awaiting, isLiteral } = typed;
  if (awaiting && !(awaiting.variadic && last.startsWith('-')))
    return valuesOf(program, awaiting, typed, last, readStore);
  if (last.startsWith('-') && !isLiteral) {
    const at = last.indexOf('=');
    if (at === -1) return { words: flagsOf(program, command), endings: undefined };
    const option = optionNamed(last, command, program);
    if (!option) return NONE;
    const values = await valuesOf(program, option, typed, last.slice(at + 1), readStore);
    return { ...values, words: withPrefix(last.slice(0, at + 1), values.words) };
  }
  const commands = operands.length === 0 ? commandsOf(command) : [];
  if (commands.length > 0) return { words: commands, endings: undefined };
  const argument = argumentAt(command, operands.length);
  return argument ? valuesOf(program, argument, typed, last, readStore) : NONE;
}

function flagsOf(program: Command, command: Command): readonly Candidate[] {
  return optionsOf(command, program).flatMap(({ long, description }) =>
    // Commander returns null for a missing flag, contrary to its types.
    typeof long === 'string' ? [{ word: long, note: description }] : [],
  );
}

function commandsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ word: one.name(), note: one.description() }));
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

/** Returns the values of an option or argument: its choices, or the words that its placeholder stands for. */
async function valuesOf(
  program: Command,
  taker: Option | Argument,
  { values }: Typed,
  last: string,
  readStore: ReadStore,
): Promise<Candidates> {
  if (taker.argChoices) return { words: taker.argChoices.map((word) => ({ word, note: '' })), endings: undefined };
  const kinds = nameOf(taker).split('|');
  const store = values.get('--store');
  const stored = kinds.filter((kind) => kind === 'run' || kind === 'item' || kind === 'tag');
  const words = [
    ...(await Promise.all(stored.map((kind) => readStore(kind, store)))).flat(),
    ...(kinds.includes('status') ? listed(standings, last) : []),
    ...(kinds.includes('column') ? runOrders.map((word) => ({ word, note: '' })) : []),
    ...(kinds.includes('command') ? commandsOf(program) : []),
  ];
  return { words, endings: kinds.includes('pipeline') ? PIPELINE_ENDINGS : kinds.includes('file') ? [] : undefined };
}

/** Returns the name of a placeholder: `file` for `--out <file>`, and `run` for `[run...]`. */
function nameOf(taker: Option | Argument): string {
  if ('flags' in taker) return /[<[]([^\]>.]+)/u.exec(taker.flags)?.[1] ?? '';
  return taker.name();
}

/** Completes a list of words with commas between them. Words that are already in the list are left out. */
function listed(words: readonly string[], last: string): readonly Candidate[] {
  const before = last.slice(0, last.lastIndexOf(',') + 1);
  const given = before.split(',');
  return withPrefix(
    before,
    words.filter((word) => !given.includes(word)).map((word) => ({ word, note: '' })),
  );
}

function withPrefix(prefix: string, words: readonly Candidate[]): readonly Candidate[] {
  return words.map(({ word, note }) => ({ word: prefix + word, note }));
}
