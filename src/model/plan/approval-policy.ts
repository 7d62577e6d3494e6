/**
 * The approvals that open a gate.
 *
 * @module
 */
import { z } from 'zod';
import { SEVERITIES } from '../decision/severity.ts';

/** The schema of {@link ApprovalPolicy}. */
export const approvalSchema = z
  .strictObject({
    /** An approval with a confidence at or under this is asked for again; one without a confidence is not. @default 0 */
    minConfidence: z.number().min(0).max(1).optional(),
    /** An approval with a score under this is asked for again; one without a score is not. @default any score */
    minScore: z.number().optional(),
    /** The worst open issue that an approval may have. @default 'medium' */
    maxSeverity: z.enum(SEVERITIES).optional(),
  })
  .readonly();

/** The conditions under which an approval of a reviewer opens the gate. */
export type ApprovalPolicy = z.infer<typeof approvalSchema>;
