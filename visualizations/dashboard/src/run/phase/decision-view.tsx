/**
 * A decision about an attempt.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { editsText } from '../../../../../src/projections/inbox/edit-words.ts';
import { issueId } from '../../../../../src/model/decision/issue.ts';
import type { Issue } from '../../../../../src/model/decision/issue-schema.ts';
import type { Verdict } from '../../../../../src/model/events/event.ts';
import { inOneLine } from '../../parts/untrusted-text.ts';
import { IssueEntry } from '../../parts/issue-entry.tsx';
import { VerdictBadge, VerdictView } from '../../parts/verdict-view.tsx';
import { isoTime, timeText } from '../../parts/words.ts';
import { hashOf, type RunRoute } from '../../route.ts';
import type { RecordedDecision } from './phase-history.ts';

interface DecisionViewProps {
  readonly decision: RecordedDecision;
  readonly route: RunRoute;
}

/** The decision, with the verdict of each reviewer. */
export function DecisionView({ decision, route }: DecisionViewProps): ReactNode {
  const { by, who, verdict, verdicts, seq, time, edited } = decision;
  const reviewers = Object.entries(verdicts);
  return (
    <section className="decision" aria-label="Decision">
      <h4>
        {TITLES[by]}
        {who === undefined ? '' : ` (${inOneLine(who)})`} <VerdictBadge verdict={verdict} />{' '}
        {edited ? `${inOneLine(editsText(edited))} ` : ''}
        <a className="quiet" href={hashOf({ ...route, at: seq })} title="Show the run as of this record">
          <time dateTime={isoTime(time)}>{timeText(time)}</time>
        </a>
      </h4>
      {reviewers.map(([name, one]) => (
        <div key={name} className="reviewer">
          <h5>{inOneLine(name)}</h5>
          <VerdictView verdict={one} by={inOneLine(name)} />
          <Issues verdict={one} />
        </div>
      ))}
      {reviewers.length === 0 ? <VerdictView verdict={verdict} by={TITLES[by].toLowerCase()} /> : null}
      {reviewers.length === 0 ? <Issues verdict={verdict} /> : null}
    </section>
  );
}

// --- internal ---

const TITLES = { gate: 'The gate', worker: 'A task', person: 'A person' } as const;

function Issues({ verdict }: { readonly verdict: Verdict }): ReactNode {
  const issues = issuesOf(verdict);
  if (issues.length === 0) return null;
  return (
    <ul className="issues">
      {issues.map((issue, at) => (
        <IssueEntry key={`${at} ${issueId(issue)}`} issue={issue} />
      ))}
    </ul>
  );
}

function issuesOf(verdict: Verdict): readonly Issue[] {
  const decision = verdict.type === 'inconclusive' ? verdict.decision : verdict;
  return 'issues' in decision ? (decision.issues ?? []) : [];
}
