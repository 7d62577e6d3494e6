/**
 * Issues: defects that a review found, each with the phase that has to correct it.
 *
 * @module
 */
import { contentHash } from '../values/content-hash.ts';
import type { Issue } from './issue-schema.ts';
import { SEVERITIES } from './severity.ts';

/** Returns the id of an issue: its own, else a hash that is equal for equal wording about the same task. */
export function issueId({ id, category = '', description, affectedTask }: Issue): string {
  if (id !== undefined) return id;
  const task = affectedTask === undefined ? [] : [affectedTask];
  return contentHash([wording(category), wording(description), ...task]).slice(0, ID_LENGTH);
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

function issueLine({ category, severity, description, evidence, impact, affectedTask, requiredChange }: Issue): string {
  const kind = category === undefined ? severity : `${severity}, ${category}`;
  const more = [
    affectedTask !== undefined && `Task: ${affectedTask}`,
    evidence !== undefined && `Evidence: ${evidence}`,
    impact !== undefined && `Impact: ${impact}`,
    requiredChange !== undefined && `Required change: ${requiredChange}`,
  ];
  return [`- [${kind}] ${description}`, ...more.filter((part) => part !== false)].join('\n  ');
}
