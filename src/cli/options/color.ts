/**
 * `--color` and `--no-color`, which every command takes, anywhere among its arguments.
 *
 * @module
 */

interface Coloured {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Removes the flags from the arguments and sets `FORCE_COLOR` instead. The last flag counts; words after `--` are no flags. */
export function withColour(argv: readonly string[], env: Coloured['env']): Coloured {
  const end = argv.indexOf('--');
  const isFlag = (word: string, index: number): boolean => FLAGS.has(word) && (end === -1 || index < end);
  const flag = argv.filter(isFlag).at(-1);
  if (flag === undefined) return { argv, env };
  return { argv: argv.filter((word, index) => !isFlag(word, index)), env: { ...env, FORCE_COLOR: FLAGS.get(flag) } };
}

// --- internal ---

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['--color', '1'],
  ['--no-color', '0'],
]);
