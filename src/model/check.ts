/**
 * What a check may answer in its long form.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from './errors.ts';

/** The schema of a check's answer that is an object. */
const checkResultSchema = z.object({
  passed: z.boolean(),
  /** The change that is needed, as one imperative sentence. @default 'Make check "<name>" pass.' */
  requiredChange: z.string().optional(),
  /** What was found, such as the tail of a log. */
  details: z.string().optional(),
});

/** The outcome of a check: `true`, `undefined` and `null` pass, `false` fails, a string fails and says what has to change. */
export type CheckResult = boolean | string | null | undefined | Readonly<z.infer<typeof checkResultSchema>>;

/**
 * Reads the long form of a check's answer.
 *
 * @throws PhasegateError `OUTPUT_INVALID` for anything that a check may not answer.
 */
export function readCheckResult(name: string, answer: unknown): Readonly<z.infer<typeof checkResultSchema>> {
  const parsed = checkResultSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
  throw new PhasegateError('OUTPUT_INVALID', `Cannot read the answer of check "${name}":\n  ${lines.join('\n  ')}`, {
    hint: 'Return true, false, a string that says what has to change, or { passed, requiredChange?, details? }.',
  });
}
