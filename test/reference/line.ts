/**
 * One event as one line, so that two accounts of a run can be laid side by side.
 *
 * @module
 */

/** What a line says beside when, what and who: flat and in a fixed order. */
export type Details = Readonly<Record<string, unknown>>;

/** Writes a line; `who` is empty for what concerns the whole run. */
export function line(time: number, type: string, who: string, details: Details = {}): string {
  const rest = Object.entries(details).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [`@${time}`, type, ...(who === '' ? [] : [who]), ...rest].join(' ');
}
