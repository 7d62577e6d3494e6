/**
 * Open issues as lines, grouped by the phase that has to correct them.
 *
 * @module
 */
import { groupIssues, issueId } from '../../model/decision/issue.ts';
import type { ReviewFinding } from '../../model/review/open-issues.ts';
import { counted } from '../../model/values/counts.ts';
import { span, type Line } from '../terminal/line.ts';
import { cut, oneLine } from '../terminal/text.ts';

/**
 * Creates a head and the lines of the issues; nothing if there are no issues.
 *
 * @param own The phase whose reviewers have found the issues.
 * @param reach The phases that it depends on, in topological order.
 */
export function findingLines(
  findings: readonly ReviewFinding[],
  own: string,
  reach: readonly string[],
): readonly Line[] {
  if (findings.length === 0) return [];
  const groups = groupIssues(
    findings.flatMap(({ issues }) => issues),
    own,
    reach,
  );
  const reviews = new Map(findings.map(({ id, open }) => [id, open]));
  return [
    [span('open issues:', 'dim')],
    ...[...groups].flatMap(([phase, issues]): readonly Line[] => [
      [span(`  of ${oneLine(phase)}`, 'dim')],
      ...issues.map((issue): Line => {
        const { category, severity, description } = issue;
        const kind = category === undefined ? severity : `${severity}, ${oneLine(category)}`;
        const times = reviews.get(issueId(issue)) ?? 1;
        const again = times > 1 ? `, in ${counted(times, 'review')}` : '';
        return [
          span(`    ${oneLine(issueId(issue))}`, 'strong'),
          span(` [${kind}${again}] ${cut(oneLine(description), LONGEST)}`),
        ];
      }),
    ]),
  ];
}

// --- internal ---

/** The most columns of a description. */
const LONGEST = 100;
