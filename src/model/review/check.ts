/**
 * What a check may answer, and what is made of it.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from '../errors/phasegate-error.ts';
import { elided, TEXT_LIMITS } from '../values/text-limits.ts';

/** The schema of a check's answer that is an object. A key that it does not know is refused, as its text would be lost. */
const checkResultSchema = z.strictObject({
  passed: z.boolean(),
  /** The change that is needed, as one imperative sentence. @default 'Make check "<name>" pass.' */
  requiredChange: z.string().optional(),
  /** What was found, such as the tail of a log. */
  details: z.string().optional(),
  /** What failed, by name, such as tests: a baseline is compared by them. @default it is compared by the outcome as a whole */
  failures: z.array(z.string()).optional(),
});

/** The outcome of a check: `true`, `undefined` and `null` pass, `false` fails, a string fails and says what has to change. */
export type CheckResult = boolean | string | null | undefined | Readonly<z.infer<typeof checkResultSchema>>;

/** A check that has failed. */
export interface FailedCheck {
  readonly name: string;
  readonly requiredChange: string;
  readonly details: string;
  /** What failed, by name; absent where that is not known. */
  readonly failures?: readonly string[] | undefined;
}

/**
 * Reads a check's answer.
 *
 * @returns What has failed; `undefined` where the check has passed.
 * @throws PhasegateError `OUTPUT_INVALID` for anything that a check may not answer.
 */
export function readCheck(name: string, answer: unknown): FailedCheck | undefined {
  if (answer === true || answer === null || answer === undefined) return undefined;
  const change = `Make check "${name}" pass.`;
  if (answer === false) return { name, requiredChange: change, details: `Check "${name}" failed.` };
  const result = typeof answer === 'string' ? { passed: false, requiredChange: answer, details: answer } : answer;
  const { passed, failures = [], ...said } = readCheckResult(name, result);
  if (passed) return undefined;
  const requiredChange = shortened(said.requiredChange, TEXT_LIMITS.requiredChange);
  const details = shortened(said.details, TEXT_LIMITS.checkDetails);
  const known = failures.length > 0 ? { failures } : {};
  return {
    name,
    requiredChange: says(requiredChange) ? requiredChange : change,
    details: says(details) ? told(name, details) : `Check "${name}" failed.`,
    ...known,
  };
}

// --- internal ---

function shortened(text: string | undefined, most: number): string | undefined {
  return text === undefined ? undefined : elided(text, most);
}

function says(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

/** A log begins on a line of its own. */
function told(name: string, what: string): string {
  return `Check "${name}" failed:${what.includes('\n') ? '\n' : ' '}${what}`;
}

function readCheckResult(name: string, answer: unknown): Readonly<z.infer<typeof checkResultSchema>> {
  const parsed = checkResultSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
  throw new PhasegateError('OUTPUT_INVALID', `Cannot read the answer of check "${name}":\n  ${lines.join('\n  ')}`, {
    hint: 'Return true, false, a string that says what has to change, or { passed, requiredChange?, details?, failures? }.',
  });
}
