/**
 * The name that is recorded with answers.
 *
 * @module
 */
import { userInfo } from 'node:os';

/** Returns the user name of the operating system, or `command line` if there is none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'command line';
  }
}
