/**
 * Options that take a port.
 *
 * @module
 */
import { InvalidArgumentError } from 'commander';

/** The help text of `--inspect`. */
export const INSPECT = 'show the actors of the run in the Stately inspector, on this port or any free one';

/** Parses a port. An empty text is 0, which stands for any free port. */
export function toPort(text: string): number {
  const port = /^\d{0,5}$/u.test(text) ? Number(text) : Infinity;
  if (port <= LAST_PORT) return port;
  throw new InvalidArgumentError(`It must be a port: a number from 0 to ${LAST_PORT}.`);
}

/**
 * Appends `=` to options that no number follows: commander would read a file name after such an option as the port.
 * Words after `--` are no options.
 */
export function withPortsApart(argv: readonly string[], options: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const isApart = (arg: string, at: number): boolean =>
    options.includes(arg) && !/^\d+$/u.test(argv[at + 1] ?? '') && (end === -1 || at < end);
  return argv.map((arg, at) => (isApart(arg, at) ? `${arg}=` : arg));
}

// --- internal ---

const LAST_PORT = 65_535;
