/**
 * Programs as checks.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { maskSecrets } from '../../model/events/secrets.ts';
import type { Check, CheckOptions } from '../../model/handlers/phase.ts';
import type { CheckResult } from '../../model/review/check.ts';
import { plainText } from '../../model/values/plain-text.ts';
import { endText, execute, refuseLine, shown, type CommandLine, type CommandOptions } from './command-line.ts';
import { failureCount, type CheckKind } from './failure-count.ts';
import { lastLines } from './output-excerpt.ts';
import type { ProcessEnd } from './process.ts';

/** Options of {@link commandCheck}: those of a command, and the meaning of a failure. */
export interface CommandCheckOptions extends Omit<CommandOptions, 'output' | 'timeout'>, Omit<CheckOptions, 'timeout'> {
  /** Milliseconds; 0 for none. A command that takes longer has failed. @default one hour, after which it is a review error */
  readonly timeout?: number | undefined;
  /** Purpose of the command, which determines the wording of the required change. @default any command */
  readonly kind?: CheckKind | undefined;
  /**
   * The change that a failure requires, as one imperative sentence. A timeout has a sentence of its own.
   *
   * @default a sentence with the command, by `kind`
   */
  readonly requiredChange?: string | undefined;
  /**
   * Finds the names of failures in the output, such as tests. A name is the first group, or the whole match if there is none.
   * The pattern is applied to the text without escape codes, line by line (`m`) and everywhere (`g`). The names are counted,
   * and compared with those of a baseline.
   *
   * @default the outcome counts as a whole
   */
  readonly failures?: RegExp | undefined;
}

/**
 * A check that runs a program: exit code 0 passes, any other fails the attempt.
 *
 * The required change names the command's `kind`, and the number of failures if the output states it clearly. The feedback has
 * the last lines of the output, without escape codes and obvious secrets. A command that exceeds its timeout fails as well. A
 * program that cannot be started is a review error, as no other attempt would help.
 *
 * @param name Name of the check in records.
 * @throws PhasegateError `DEFINITION_INVALID` for an invalid command.
 *
 * @example
 * ```ts
 * review: { checks: [commandCheck('tests', ['npm', 'test'], { kind: 'test', baseline: true, timeout: 600_000 })] }
 * ```
 */
export function commandCheck(
  name: string,
  line: CommandLine,
  options: CommandCheckOptions = {},
): Check<unknown, unknown> {
  refuseLine(line, options);
  refuseKind(name, options.kind);
  refuseFailures(name, options.failures);
  const { baseline, retries, timeout } = options;
  return {
    name,
    baseline,
    retries,
    // The command's own timeout stops it, which is a failure. A timeout of the check would be a review error.
    timeout: timeout === undefined ? undefined : 0,
    run: async (context) => resultOf(line, options, await execute(line, options, context)),
  };
}

// --- internal ---

/** Most lines and characters of the output in the feedback. */
const MOST_LINES = 40;
const MOST_CHARACTERS = 4000;
/** Characters before the excerpt that are searched for secrets as well, so that none is cut in two. */
const MARGIN = 32_000;

function resultOf(line: CommandLine, options: CommandCheckOptions, end: ProcessEnd): CheckResult {
  if (!end.timedOut && end.exitCode === 0) return true;
  const text = plainText(end.all);
  // A long output that was cut may have named more failures.
  const failures = options.failures && !end.isCut ? namesIn(text, options.failures) : [];
  const requiredChange = maskSecrets(changeFor(line, options, end, text, failures.length));
  return {
    passed: false,
    requiredChange,
    details: logOf(text),
    ...(failures.length > 0 && { failures: [...failures] }),
  };
}

/** The required change, in one sentence. */
function changeFor(
  line: CommandLine,
  { kind, requiredChange, timeout }: CommandCheckOptions,
  end: ProcessEnd,
  text: string,
  known: number,
): string {
  const what = shown(line);
  if (end.timedOut) return `Make ${what} end within ${timeout} ms.`;
  if (requiredChange !== undefined) return requiredChange;
  const how = `(${endText(end)})`;
  if (kind === undefined) return `Make ${what} pass ${how}.`;
  const { noun, otherwise } = KINDS[kind];
  const count = known > 0 ? known : failureCount(kind, text);
  if (count === undefined) return `${otherwise.replace('<command>', () => what)} ${how}.`;
  return `Fix the ${count === 1 ? noun : `${count} ${noun}s`} reported by ${what}.`;
}

/** Name of one failure, and the required change if the number of failures is unknown. */
const KINDS: Readonly<Record<CheckKind, { readonly noun: string; readonly otherwise: string }>> = {
  build: { noun: 'build error', otherwise: 'Make the build <command> succeed' },
  format: { noun: 'badly formatted file', otherwise: 'Format the files as <command> asks' },
  lint: { noun: 'problem', otherwise: 'Fix the problems that <command> finds' },
  test: { noun: 'failing test', otherwise: 'Make the tests of <command> pass' },
  types: { noun: 'type error', otherwise: 'Fix the type errors that <command> finds' },
};

/** The last lines of an output. Secrets are masked here and not only in records, as models get this text. */
function logOf(text: string): string {
  return lastLines(maskSecrets(text.slice(-MARGIN - MOST_CHARACTERS)), MOST_LINES, MOST_CHARACTERS);
}

/** All names, without duplicates. */
function namesIn(text: string, pattern: RegExp): readonly string[] {
  const everywhere = new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}gm`)].join(''));
  const names = [...text.matchAll(everywhere)].map(([whole, group]) => (group ?? whole).trim());
  return [...new Set(names)].filter((name) => name !== '');
}

function refuseKind(name: string, kind: CheckKind | undefined): void {
  if (kind === undefined || Object.hasOwn(KINDS, kind)) return;
  const problem = `Cannot define check "${name}" as there is no kind ${JSON.stringify(kind)}`;
  throw new PhasegateError('DEFINITION_INVALID', problem, {
    hint: `Use one of ${Object.keys(KINDS).join(', ')}, or leave it out.`,
  });
}

function refuseFailures(name: string, failures: unknown): void {
  if (failures === undefined || failures instanceof RegExp) return;
  const found = typeof failures === 'string' ? JSON.stringify(failures) : typeof failures;
  throw new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot define check "${name}" as \`failures\` is ${found}, which is not a RegExp`,
    { hint: 'Give a pattern that finds the names, such as /^FAIL (.+)$/, or leave it out.' },
  );
}
