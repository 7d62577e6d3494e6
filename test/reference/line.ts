/**
 * One event as one line, so that two accounts of a run can be compared.
 *
 * @module
 */

/** The fields of a line in addition to time, type and subject: flat and in a fixed order. */
export type Details = Readonly<Record<string, unknown>>;

/**
 * Formats the findings that a reviewer was shown: names, and the number of consecutive reviews that found each open.
 */
export function shown(
  phase: string,
  reviewer: string,
  findings: readonly { readonly name: string; readonly open: number }[],
): string {
  return `${phase}?${reviewer} ${findings.map(({ name, open }) => `${name}*${open}`).join(' ')}`;
}

/** Returns the names of issues as a part of a line; nothing if there are none. */
export function labels(issues: readonly { readonly name: string }[]): Details {
  return issues.length === 0 ? {} : { issues: issues.map(({ name }) => name) };
}

/** Formats a line. @param who The phase; empty for an event of the run. */
export function line(time: number, type: string, who: string, details: Details = {}): string {
  const rest = Object.entries(details).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [`@${time}`, type, ...(who === '' ? [] : [who]), ...rest].join(' ');
}
