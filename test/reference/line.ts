/**
 * One event as one line, so that two accounts of a run can be laid side by side.
 *
 * @module
 */

/** What a line says beside when, what and who: flat and in a fixed order. */
export type Details = Readonly<Record<string, unknown>>;

/** Says what a reviewer was shown of its findings: names, and in how many reviews in a row they were open. */
export function shown(
  phase: string,
  reviewer: string,
  findings: readonly { readonly name: string; readonly open: number }[],
): string {
  return `${phase}?${reviewer} ${findings.map(({ name, open }) => `${name}*${open}`).join(' ')}`;
}

/** Names of issues, as part of a line: nothing where there are none. */
export function labels(issues: readonly { readonly name: string }[]): Details {
  return issues.length === 0 ? {} : { issues: issues.map(({ name }) => name) };
}

/** Writes a line; `who` is empty for what concerns the whole run. */
export function line(time: number, type: string, who: string, details: Details = {}): string {
  const rest = Object.entries(details).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [`@${time}`, type, ...(who === '' ? [] : [who]), ...rest].join(' ');
}
