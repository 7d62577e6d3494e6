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
  const found = SUMMARIES[kind].flatMap((pattern) => [...text.matchAll(pattern)]);
  const [only] = found;
  if (!only || found.length > 1) return undefined;
  const count = only.slice(1).reduce((sum, digits) => sum + Number(digits), 0);
  return count > 0 ? count : undefined;
}

// --- internal ---

/** The groups of a pattern are added. Each takes time in proportion to the text. */
const SUMMARIES: Readonly<Record<CheckKind, readonly RegExp[]>> = {
  test: [
    /^[#ℹ] fail (\d{1,9})$/gmu, // node:test
    /^ *Tests:? {1,9}(\d{1,9}) failed\b/gmu, // vitest, jest
    /^ {0,9}(\d{1,9}) failing$/gmu, // mocha
    /^(?:=+ )?(\d{1,9}) failed(?:, \d+ [a-z]+){0,9} in [\d.]+s/gmu, // pytest
    /^test result: FAILED\. \d+ passed; (\d{1,9}) failed;/gmu, // cargo
  ],
  lint: [
    /^✖ (\d{1,9}) problems? \(/gmu, // eslint, stylelint
    /^Found (\d{1,9}) warnings? and (\d{1,9}) errors?\.$/gmu, // oxlint
    /^Found (\d{1,9}) errors?\.$/gmu, // ruff, biome
  ],
  types: [/^Found (\d{1,9}) errors?(?: in .{1,300})?\.?$/gmu], // tsc, mypy
  build: [/^Found (\d{1,9}) errors?(?: in .{1,300})?\.?$/gmu], // tsc
  format: [],
};
