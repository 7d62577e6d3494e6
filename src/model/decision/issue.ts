/**
 * Issues: defects that a review found, each with the phase that has to correct it.
 *
 * @module
 */
import { z } from 'zod';
import { contentHash } from '../values/content-hash.ts';

/** The severities of an issue, worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

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

/** Returns the id of an issue: its own, else a hash that is equal for equal wording. */
export function issueId({ id, category = '', description }: Issue): string {
  return id ?? contentHash([wording(category), wording(description)]).slice(0, ID_LENGTH);
}

/**
 * Adds ids to issues, and keeps each once for every phase that has to correct it.
 *
 * @param owner Returns the phase that has to correct an issue. @default the one that it names
 */
export function withIds(
  issues: readonly Issue[],
  owner: (issue: Issue) => string | undefined = ({ affectedPhase }) => affectedPhase,
): readonly Issue[] {
  const seen = new Map<string, Issue>();
  for (const issue of issues) {
    const id = issueId(issue);
    const key = JSON.stringify([id, owner(issue) ?? null]);
    if (!seen.has(key)) seen.set(key, issue.id === id ? issue : { id, ...issue });
  }
  return [...seen.values()];
}

/**
 * Returns the phase that has to correct an issue.
 *
 * @param own The phase under review; it gets issues that name no phase, or one that may not be sent back.
 * @param targets Phases that may be sent back.
 */
export function phaseOf({ affectedPhase = '' }: Issue, own: string, targets: readonly string[]): string {
  return targets.includes(affectedPhase) ? affectedPhase : own;
}

/** True if an issue names a phase that may not be sent back. */
export function isAstray({ affectedPhase }: Issue, own: string, targets: readonly string[]): boolean {
  return affectedPhase !== undefined && affectedPhase !== own && !targets.includes(affectedPhase);
}

/** Groups issues by the phase that has to correct them: the earliest first, the phase under review last. */
export function groupIssues(
  issues: readonly Issue[],
  own: string,
  targets: readonly string[],
): ReadonlyMap<string, readonly Issue[]> {
  const groups = new Map<string, readonly Issue[]>();
  for (const phase of [...targets, own]) {
    const group = issues.filter((issue) => phaseOf(issue, own, targets) === phase);
    if (group.length > 0) groups.set(phase, group);
  }
  return groups;
}

/** Writes issues as text, worst first. */
export function issueLines(issues: readonly Issue[]): string {
  return worstFirst(issues).map(issueLine).join('\n');
}

/** Joins the required changes of issues, worst first and each once; '' if there are none. */
export function requiredChanges(issues: readonly Issue[]): string {
  return [...new Set(worstFirst(issues).flatMap((issue) => issue.requiredChange ?? []))].join(' ');
}

// --- internal ---

const ID_LENGTH = 12;

/** Normalises a text, so that case, spacing and punctuation do not matter. */
function wording(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function worstFirst(issues: readonly Issue[]): readonly Issue[] {
  return issues.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

function issueLine({ category, severity, description, evidence, impact, requiredChange }: Issue): string {
  const kind = category === undefined ? severity : `${severity}, ${category}`;
  const more = [
    evidence !== undefined && `Evidence: ${evidence}`,
    impact !== undefined && `Impact: ${impact}`,
    requiredChange !== undefined && `Required change: ${requiredChange}`,
  ];
  return [`- [${kind}] ${description}`, ...more.filter((part) => part !== false)].join('\n  ');
}
