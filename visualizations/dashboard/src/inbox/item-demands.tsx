/**
 * Open issues and requested changes.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { groupIssues, issueId } from '../../../../src/model/decision/issue.ts';
import type { UiItemDetail } from '../../../../src/server/api.ts';
import { inOneLine } from '../parts/untrusted-text.ts';
import { IssueEntry } from '../parts/issue-entry.tsx';
import { LongText } from '../parts/long-text.tsx';

/** Open issues, grouped by the phase that must correct them; then all requested changes. */
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

function Corrections({ detail: { corrections } }: { readonly detail: UiItemDetail }): ReactNode {
  if (corrections.length === 0) return null;
  return (
    <section aria-labelledby="corrections-heading">
      <h2 id="corrections-heading">Requested changes so far</h2>
      <ol className="corrections">
        {corrections.map(({ from, to, number, feedback, requiredChange = '' }, at) => (
          // A correction has no id but its index. No correction is ever removed.
          <li key={`${at} ${from} ${number}`}>
            <p>
              <strong>
                <bdi>{inOneLine(from)}</bdi>
              </strong>{' '}
              <span className="quiet">
                of attempt {number}
                {to === undefined ? '' : ', sent back '}
              </span>
              {to === undefined ? null : <bdi>{inOneLine(to)}</bdi>}
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
