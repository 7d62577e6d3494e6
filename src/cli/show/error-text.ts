/**
 * Errors in words: what they are called, say, and come from.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import type { ErrorInfo } from '../../model/errors.ts';

/** The message, with the class where it says more than "Error", and what is behind it. */
export function errorText({ name, message, cause }: ErrorInfo): string {
  const plain = name === 'Error' || name.endsWith('PhasegateError') || /^[a-z]/u.test(name);
  const text = plain ? message : `${name}: ${message}`;
  return cause === undefined ? text : `${text} (cause: ${cause})`;
}

/** Where in the user's own code an error was thrown, where its stack says so. */
export function originOf({ stack }: ErrorInfo): string | undefined {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  const own = frames.find(
    (line) => !/node:|node_modules|<anonymous>$/u.test(line) && !line.includes(LIBRARY) && /[/\\]/u.test(line),
  );
  return own?.trim();
}

// --- internal ---

/** Where the built library is; its frames say nothing about a user's mistake. */
const LIBRARY = fileURLToPath(new URL('../../../', import.meta.url));
