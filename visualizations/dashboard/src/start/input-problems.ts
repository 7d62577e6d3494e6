/**
 * Problems that the server finds in an input, at the fields that they are about.
 *
 * @module
 */
import type { InputField } from '../../../../src/server/api.ts';
import type { Refused } from '../data/ask.ts';

/** The problems of a refused input. */
export interface PlacedProblems {
  /** The problems of fields, by index. */
  readonly atFields: ReadonlyMap<number, string>;
  /** All others, in words. */
  readonly others: readonly string[];
}

/** Places the problems of a refusal. @param fields The fields that are shown; none if the input is written as a whole. */
export function placed({ problems, message }: Refused, fields: readonly InputField[]): PlacedProblems {
  const atFields = new Map<number, string>();
  const others: string[] = [];
  for (const { path, message: text } of problems) {
    const [name, ...rest] = path;
    const at = fields.findIndex((field) => field.name === name);
    if (at === -1) others.push(inPlace(path, text));
    else atFields.set(at, [atFields.get(at), inPlace(rest, text)].filter((one) => one !== undefined).join('\n'));
  }
  return atFields.size === 0 ? { atFields, others: [message] } : { atFields, others };
}

// --- internal ---

function inPlace(path: readonly string[], text: string): string {
  return path.length === 0 ? text : `${path.join('.')}: ${text}`;
}
