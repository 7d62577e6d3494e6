/**
 * An approval with edits in words.
 *
 * @module
 */
import type { Outputs } from '../../model/handlers/task.ts';

/** Says of which tasks a person has put outputs in the place of those of the attempt: `approved with edits: text, title`. */
export function editsText(edited: Outputs): string {
  return `approved with edits: ${Object.keys(edited).join(', ')}`;
}
