/**
 * How many things failed, where the output of a tool says so beyond doubt.
 *
 * @module
 */

/** What a command may be for. */
export const CHECK_KINDS = ['build', 'format', 'lint', 'test', 'types'] as const;

/** What a command is for: a failure is told accordingly. */
export type CheckKind = (typeof CHECK_KINDS)[number];

/**
 * The number that a tool sums its failures up with.
 *
 * @param text Output without escape codes.
 * @returns `undefined` where there is no such line, or more than one: a number is told only where it is meant.
 */
export function failureCount(kind: CheckKind, text: string): number | undefined {
  const lines = text.split(/[\n\r]/u);
  const found = SUMMARIES[kind].flatMap((pattern) =>
    lines.map((line) => pattern.exec(line)).filter((match) => match !== null),
  );
  const [only] = found;
  if (!only || found.length > 1) return undefined;
  const count = only.slice(1).reduce((sum, digits) => sum + Number(digits), 0);
  return count > 0 && count < MOST ? count : undefined;
}

// --- internal ---

/** No tool has found so much. */
const MOST = 1_000_000_000;

/** Each is of a line, and its groups are added. */
const SUMMARIES: Readonly<Record<CheckKind, readonly RegExp[]>> = {
  test: [
    /^[#ℹ] fail (\d{1,9})$/u, // node:test
    /^ *Tests:? +(\d+) failed\b/u, // vitest, jest
    /^ {0,9}(\d{1,9}) failing$/u, // mocha
    /^(?:=+ )?(\d+) failed(?:, \d+ [a-z]+)* in [\d.]+s/u, // pytest
    /^test result: FAILED\. \d+ passed; (\d+) failed;/u, // cargo
  ],
  lint: [
    /^✖ (\d{1,9}) problems? \(/u, // eslint, stylelint
    /^Found (\d{1,9}) warnings? and (\d{1,9}) errors?\.$/u, // oxlint
    /^Found (\d{1,9}) errors?\.$/u, // ruff, biome
  ],
  types: [/^Found (\d{1,9}) errors?(?: in .{1,300})?\.?$/u], // tsc, mypy
  build: [/^Found (\d{1,9}) errors?(?: in .{1,300})?\.?$/u], // tsc
  format: [],
};
