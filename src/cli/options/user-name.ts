/**
 * In whose name people answer.
 *
 * @module
 */
import { userInfo } from 'node:os';

/** The name of the user of the operating system, where it has one. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'command line';
  }
}
