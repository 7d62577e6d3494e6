/**
 * An issue that a review has found.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { issueId } from '../../../../src/model/decision/issue.ts';
import type { Issue } from '../../../../src/model/decision/issue-schema.ts';
import { inOneLine } from './untrusted-text.ts';
import { LongText } from './long-text.tsx';
import { counted } from './words.ts';
import './parts.css';

interface IssueEntryProps {
  readonly issue: Issue;
  /** The number of consecutive reviews in which it was open. @default 1 */
  readonly open?: number;
  /** The reviewer that found it. */
  readonly reviewer?: string;
}

/** An entry of a list with the class `issues`. */
export function IssueEntry({ issue, open = 1, reviewer = '' }: IssueEntryProps): ReactNode {
  const { category, severity, description, evidence, impact, requiredChange } = issue;
  const more = [
    ['Required change', requiredChange],
    ['Evidence', evidence],
    ['Impact', impact],
  ] as const;
  const tone = severity === 'critical' || severity === 'high' ? 'bad' : severity === 'medium' ? 'warn' : 'dim';
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
