/**
 * Validation of a check's answer, and its conversion into a failure.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from '../errors/phasegate-error.ts';
import { elided, TEXT_LIMITS } from '../values/text-limits.ts';

/** The schema of a check's answer that is an object. Unknown keys are refused, as their text would be lost. */
const checkResultSchema = z.strictObject({
  passed: z.boolean(),
  /** The required change, as one imperative sentence. @default 'Make check "<name>" pass.' */
  requiredChange: z.string().optional(),
  /** The findings, such as the tail of a log. */
  details: z.string().optional(),
  /** Names of the failures, such as tests: a baseline compares them. @default the outcome as a whole is compared */
  failures: z.array(z.string()).optional(),
});

/** The outcome of a check: `true`, `undefined` and `null` pass, `false` fails, a string fails and is the required change. */
export type CheckResult = boolean | string | null | undefined | Readonly<z.infer<typeof checkResultSchema>>;

/** A check that has failed. */
export interface FailedCheck {
  readonly name: string;
  readonly requiredChange: string;
  readonly details: string;
  /** Names of the failures; absent if they are not known. */
  readonly failures?: readonly string[] | undefined;
}

/**
 * Reads a check's answer.
 *
 * @returns The failure; `undefined` if the check has passed.
 * @throws PhasegateError `OUTPUT_INVALID` for any other answer.
 */
export function readCheck(name: string, answer: unknown): FailedCheck | undefined {
  if (answer === true || answer === null || answer === undefined) return undefined;
  const change = `Make check "${name}" pass.`;
  if (answer === false) return { name, requiredChange: change, details: `Check "${name}" failed.` };
  const result = typeof answer === 'string' ? { passed: false, requiredChange: answer, details: answer } : answer;
  const { passed, failures = [], ...texts } = readCheckResult(name, result);
  if (passed) return undefined;
  const requiredChange = shortened(texts.requiredChange, TEXT_LIMITS.requiredChange);
  const details = shortened(texts.details, TEXT_LIMITS.checkDetails);
  const known = failures.length > 0 ? { failures } : {};
  return {
    name,
    requiredChange: hasText(requiredChange) ? requiredChange : change,
    details: hasText(details) ? failureText(name, details) : `Check "${name}" failed.`,
    ...known,
  };
}

// --- internal ---

function shortened(text: string | undefined, most: number): string | undefined {
  return text === undefined ? undefined : elided(text, most);
}

function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

/** A log of several lines begins on its own line. */
function failureText(name: string, details: string): string {
  return `Check "${name}" failed:${details.includes('\n') ? '\n' : ' '}${details}`;
}

function readCheckResult(name: string, answer: unknown): Readonly<z.infer<typeof checkResultSchema>> {
  const parsed = checkResultSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
  throw new PhasegateError('OUTPUT_INVALID', `Cannot read the answer of check "${name}":\n  ${lines.join('\n  ')}`, {
    hint: 'Return true, false, a string that says what has to change, or { passed, requiredChange?, details?, failures? }.',
  });
}
