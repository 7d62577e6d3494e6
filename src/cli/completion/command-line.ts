/**
 * Parsing of an incomplete command line.
 *
 * @module
 */
import type { Command, Option } from 'commander';

/** The parsed words before the cursor. */
export interface Typed {
  /** The command that the next word belongs to. */
  readonly command: Command;
  /** Its arguments so far. */
  readonly operands: readonly string[];
  /** The option that takes the next word as its value. */
  readonly awaiting: Option | undefined;
  /** True after `--`: the next words are no options. */
  readonly isLiteral: boolean;
  /** The values of options, by long name; the last value counts. */
  readonly values: ReadonlyMap<string, string>;
}

/** Parses the words before the cursor with the definition of the program. */
export function readTyped(program: Command, words: readonly string[]): Typed {
  const start: Typed = {
    command: program,
    operands: [],
    awaiting: undefined,
    isLiteral: false,
    values: new Map(),
  };
  return words.reduce((typed, word) => withWord(program, typed, word), start);
}

/** Returns the options of a command: its own and those of the program. */
export function optionsOf(command: Command, program: Command): readonly Option[] {
  const all = [command, program].flatMap((one) => one.createHelp().visibleOptions(one));
  return all.filter(({ long }, index) => all.findIndex((other) => other.long === long) === index);
}

/** Returns the option that a word names; the word may include a value. */
export function optionNamed(word: string, command: Command, program: Command): Option | undefined {
  const [name = ''] = word.split('=', 1);
  return optionsOf(command, program).find(({ long, short }) => name === long || name === short);
}

// --- internal ---

function withWord(program: Command, typed: Typed, word: string): Typed {
  const { command, operands, awaiting, isLiteral, values } = typed;
  if (isLiteral) return { ...typed, operands: [...operands, word] };
  const isFlag = word.startsWith('-') && word !== '-';
  if (awaiting && !(isFlag && awaiting.variadic))
    return { ...typed, values: withValue(values, awaiting, word), awaiting: awaiting.variadic ? awaiting : undefined };
  if (word === '--') return { ...typed, awaiting: undefined, isLiteral: true };
  if (isFlag) return withFlag(program, typed, word);
  const next =
    operands.length === 0
      ? command
          .createHelp()
          .visibleCommands(command)
          .find((one) => isNamed(one, word))
      : undefined;
  return next ? { ...typed, command: next } : { ...typed, operands: [...operands, word] };
}

function withFlag(program: Command, typed: Typed, word: string): Typed {
  const option = optionNamed(word, typed.command, program);
  if (!option) return { ...typed, awaiting: undefined };
  const at = word.indexOf('=');
  if (at === -1) return { ...typed, awaiting: option.required ? option : undefined };
  return { ...typed, values: withValue(typed.values, option, word.slice(at + 1)), awaiting: undefined };
}

function withValue(values: Typed['values'], { long }: Option, value: string): Typed['values'] {
  return new Map(values).set(long ?? '', value);
}

function isNamed(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}
