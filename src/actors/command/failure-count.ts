/**
 * Number of failures in the output of a tool, if the output states it clearly.
 *
 * @module
 */

/** Purposes of a command. */
export const CHECK_KINDS = ['build', 'format', 'lint', 'test', 'types'] as const;

/** Purpose of a command, which determines the wording of a failure. */
export type CheckKind = (typeof CHECK_KINDS)[number];

/**
 * The number of failures in the summary line of a tool.
 *
 * @param text Output without escape codes.
 * @returns `undefined` if there is no such line, or more than one, as then the number is uncertain.
 */
export function failureCount(kind: CheckKind, text: string): number | undefined {
  const lines = text.split(/[\n\r]/u);
  const found = SUMMARIES[kind].flatMap((pattern) =>
    lines.map((line) => pattern.exec(line)).filter((match) => match !== null),
  );
  // Why: docs/decisions/gates.md#when-does-feedback-contain-the-number-of-failures
  const [only] = found;
  if (!only || found.length > 1) return undefined;
  const count = only.slice(1).reduce((sum, digits) => sum + Number(digits), 0);
  return count > 0 && count < MOST ? count : undefined;
}

// --- internal ---

/** Numbers from here on are taken for something else. */
const MOST = 1_000_000_000;

/** Patterns for one line each. Their groups are added. */
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
