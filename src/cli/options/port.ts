/**
 * Ports that options may name.
 *
 * @module
 */
import { InvalidArgumentError } from 'commander';

/** What `--inspect` does. */
export const INSPECT = 'show the actors of the run in the inspector of Stately, on this port or any that is free';

/** Reads a port; an empty text is any that is free. */
export function toPort(text: string): number {
  const port = /^\d{0,5}$/u.test(text) ? Number(text) : Infinity;
  if (port <= LAST_PORT) return port;
  throw new InvalidArgumentError(`It is no port, which is a number from 0 to ${LAST_PORT}.`);
}

/** The arguments as commander should read them: it would take a file that follows such an option for the port. Nothing after `--` is one. */
export function withPortsApart(argv: readonly string[], options: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const isApart = (arg: string, at: number): boolean =>
    options.includes(arg) && !/^\d+$/u.test(argv[at + 1] ?? '') && (end === -1 || at < end);
  return argv.map((arg, at) => (isApart(arg, at) ? `${arg}=` : arg));
}

// --- internal ---

const LAST_PORT = 65_535;
