/**
 * What was asked for so far, and what is known to be wrong still.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { groupIssues, issueId, type Issue } from '../../../../src/model/issue.ts';
import type { UiItemDetail } from '../../../../src/server/api.ts';
import { inOneLine } from '../parts/foreign-text.ts';
import { LongText } from '../parts/long-text.tsx';
import { counted } from '../parts/words.ts';

/** Open issues, by the phase that has to correct them; then every change that was asked for. */
export function ItemDemands({ detail }: { readonly detail: UiItemDetail }): ReactNode {
  return (
    <>
      <Findings detail={detail} />
      <Corrections detail={detail} />
    </>
  );
}

// --- internal ---

function Findings({ detail: { findings, item, reach } }: { readonly detail: UiItemDetail }): ReactNode {
  if (findings.length === 0) return null;
  const issues = findings.flatMap((finding) => finding.issues);
  const seen = new Map(findings.map(({ id, open, reviewer }) => [id, { open, reviewer }]));
  return (
    <section aria-labelledby="findings-heading">
      <h2 id="findings-heading">Open issues</h2>
      {[...groupIssues(issues, item.about, reach)].map(([phase, group]) => (
        <div key={phase}>
          <h3>
            of <bdi>{inOneLine(phase)}</bdi>
          </h3>
          <ul className="issues">
            {group.map((issue) => (
              <IssueEntry key={issueId(issue)} issue={issue} {...seen.get(issueId(issue))} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

interface IssueEntryProps {
  readonly issue: Issue;
  readonly open?: number;
  readonly reviewer?: string;
}

function IssueEntry({ issue, open = 1, reviewer = '' }: IssueEntryProps): ReactNode {
  const { category, severity, description, evidence, impact, requiredChange } = issue;
  const more = [
    ['Required change', requiredChange],
    ['Evidence', evidence],
    ['Impact', impact],
  ] as const;
  const tone = severity === 'critical' || severity === 'high' ? 'bad' : severity === 'medium' ? 'warn' : 'quiet';
  return (
    <li>
      <p className="issue-head">
        <span className={`badge ${tone}`}>{severity}</span>
        {category === undefined ? null : <span>{inOneLine(category)}</span>}
        <code className="quiet">{inOneLine(issueId(issue))}</code>
        <span className="quiet">
          {reviewer === '' ? '' : `by ${inOneLine(reviewer)}`}
          {open > 1 ? `, in ${counted(open, 'review')} in a row` : ''}
        </span>
      </p>
      <LongText text={description} name="the issue" />
      {more.map(([what, text]) =>
        text === undefined ? null : (
          <div key={what} className="issue-more">
            <span className="quiet">{what}</span>
            <LongText text={text} name={what.toLowerCase()} />
          </div>
        ),
      )}
    </li>
  );
}

function Corrections({ detail: { corrections } }: { readonly detail: UiItemDetail }): ReactNode {
  if (corrections.length === 0) return null;
  return (
    <section aria-labelledby="corrections-heading">
      <h2 id="corrections-heading">Asked for so far</h2>
      <ol className="corrections">
        {corrections.map(({ from, attempt, feedback, requiredChange = '' }, at) => (
          // A correction has nothing of its own but its place, and none is ever taken away.
          <li key={`${at} ${from} ${attempt}`}>
            <p>
              <strong>
                <bdi>{inOneLine(from)}</bdi>
              </strong>{' '}
              <span className="quiet">of attempt {attempt + 1}</span>
            </p>
            {requiredChange === '' ? null : (
              <p className="required">
                <span className="quiet">Required change</span> {inOneLine(requiredChange)}
              </p>
            )}
            {feedback === '' ? null : <LongText text={feedback} name={`what ${inOneLine(from)} asked for`} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
