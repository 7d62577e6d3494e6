/**
 * What a check may answer in its long form.
 *
 * @module
 */
import { z } from 'zod';

/** The schema of a check's answer that is an object. */
export const checkResultSchema = z.object({
  passed: z.boolean(),
  /** The change that is needed, as one imperative sentence. @default 'Make check "<name>" pass.' */
  requiredChange: z.string().optional(),
  /** What was found, such as the tail of a log. */
  details: z.string().optional(),
});

/** The outcome of a check: `true`, `undefined` and `null` pass, `false` fails, a string fails and says what has to change. */
export type CheckResult = boolean | string | null | undefined | Readonly<z.infer<typeof checkResultSchema>>;
