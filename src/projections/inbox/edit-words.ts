/**
 * An approval with edits in words.
 *
 * @module
 */
import type { Outputs } from '../../model/handlers/task.ts';

/** Names the tasks whose outputs a person has replaced: `approved with edits: text, title`. */
export function editsText(edited: Outputs): string {
  return `approved with edits: ${Object.keys(edited).join(', ')}`;
}
