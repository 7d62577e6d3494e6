/**
 * Schemas of issues, and their types.
 *
 * @module
 */
import { z } from 'zod';
import { SEVERITIES } from './severity.ts';

const shape = z.object({
  /** Identifies the issue from one review to the next. @default a hash of its category and its description */
  id: z.string().min(1).optional(),
  /** The kind of defect, such as `security`. */
  category: z.string().optional(),
  severity: z.enum(SEVERITIES),
  /** The defect. */
  description: z.string().min(1),
  /** The place or quotation that shows it. */
  evidence: z.string().optional(),
  /** The consequence. */
  impact: z.string().optional(),
  /** The phase that has to correct it. @default the phase under review */
  affectedPhase: z.string().optional(),
  /** The task of that phase that has to correct it. The tasks read it in `revision.issues`; the gate does not. @default any of them */
  affectedTask: z.string().optional(),
  /** The required change, as one imperative sentence. */
  requiredChange: z.string().optional(),
});

/** The schema of {@link Issue}. */
export const issueSchema = shape.strict().readonly();

/** The schema of a stored issue. Fields of later versions are allowed. */
export const storedIssueSchema = shape.readonly();

/** One defect that a review found. */
export type Issue = z.infer<typeof issueSchema>;

const priorFinding = z.object({
  /** The `id` of a finding that the reviewer was given. */
  id: z.string(),
  /** Corrected, still open, or never a defect. */
  status: z.enum(['fixed', 'open', 'withdrawn']),
});

/** The schema of {@link PriorFinding}. */
export const priorFindingSchema = priorFinding.strict().readonly();

/** The schema of a stored prior finding. */
export const storedPriorFindingSchema = priorFinding.readonly();

/** A reviewer's new status of a finding of an earlier review. */
export type PriorFinding = z.infer<typeof priorFindingSchema>;
