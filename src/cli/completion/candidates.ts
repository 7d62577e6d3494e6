/**
 * Words that may come next on a command line.
 *
 * @module
 */
import type { Argument, Command, Option } from 'commander';
import { standings } from '../../store/run-status.ts';
import { optionNamed, optionsOf, readTyped, type Typed } from './command-line.ts';

/** A word, with what it means. */
export interface Candidate {
  readonly word: string;
  readonly note: string;
}

/** Words of which the definition of the program does not know all: only a store does. */
export type Kept = 'run' | 'item';

/** Words, and files, that may come next. */
export interface Candidates {
  readonly words: readonly Candidate[];
  /** Endings of files that it may be as well, without the dot; none for any file, `undefined` for no file. */
  readonly endings: readonly string[] | undefined;
}

/** Asks a store. @param store The file that was named on the command line. */
export type AskStore = (kept: Kept, store: string | undefined) => Promise<readonly Candidate[]>;

/**
 * Finds what a word may be, by the definition of the program.
 *
 * @param words The words before it, without the name of the program.
 * @param last What is there of the word itself.
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  last: string,
  askStore: AskStore,
): Promise<Candidates> {
  const typed = readTyped(program, words);
  const found = await anyFor(program, typed, last, askStore);
  return { ...found, words: found.words.filter(({ word }) => word.startsWith(last)) };
}

// --- internal ---

const NONE: Candidates = { words: [], endings: undefined };

/** Files that a pipeline may be in. */
const PIPELINE_ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'yaml', 'yml'];

async function anyFor(program: Command, typed: Typed, last: string, askStore: AskStore): Promise<Candidates> {
  const { command, operands, awaiting, isLiteral } = typed;
  if (awaiting && !(awaiting.variadic && last.startsWith('-')))
    return valuesOf(program, awaiting, typed, last, askStore);
  if (last.startsWith('-') && !isLiteral) {
    const at = last.indexOf('=');
    if (at === -1) return { words: flagsOf(program, command), endings: undefined };
    const option = optionNamed(last, command, program);
    if (!option) return NONE;
    const values = await valuesOf(program, option, typed, last.slice(at + 1), askStore);
    return { ...values, words: withPrefix(last.slice(0, at + 1), values.words) };
  }
  const commands = operands.length === 0 ? commandsOf(command) : [];
  if (commands.length > 0) return { words: commands, endings: undefined };
  const argument = argumentAt(command, operands.length);
  return argument ? valuesOf(program, argument, typed, last, askStore) : NONE;
}

function flagsOf(program: Command, command: Command): readonly Candidate[] {
  return optionsOf(command, program).flatMap(({ long, description }) =>
    // Commander has null for none, against its types.
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

/** The words that an option or an argument takes: its choices, or what its name in the usage stands for. */
async function valuesOf(
  program: Command,
  taker: Option | Argument,
  { values }: Typed,
  last: string,
  askStore: AskStore,
): Promise<Candidates> {
  if (taker.argChoices) return { words: taker.argChoices.map((word) => ({ word, note: '' })), endings: undefined };
  const kinds = nameOf(taker).split('|');
  const store = values.get('--store');
  const kept = kinds.filter((kind) => kind === 'run' || kind === 'item');
  const words = [
    ...(await Promise.all(kept.map((kind) => askStore(kind, store)))).flat(),
    ...(kinds.includes('status') ? listed(standings, last) : []),
    ...(kinds.includes('command') ? commandsOf(program) : []),
  ];
  return { words, endings: kinds.includes('pipeline') ? PIPELINE_ENDINGS : kinds.includes('file') ? [] : undefined };
}

/** `file` of `--out <file>`, and `run` of `[run...]`. */
function nameOf(taker: Option | Argument): string {
  if ('flags' in taker) return /[<[]([^\]>.]+)/u.exec(taker.flags)?.[1] ?? '';
  return taker.name();
}

/** Words of which several may be given, with commas between them. */
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
