/**
 * The figures of two runs side by side, and what they have in common.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { RunComparison } from '../../../../src/projections/compare/compare-runs.ts';
import { comparisonSentences, figureRows, RUN_NAMES } from '../../../../src/projections/compare/comparison-words.ts';
import { StandingBadge } from '../parts/status.tsx';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { exactDuration } from '../parts/words.ts';
import { hashOf, hashOfRun } from '../route.ts';

/** The table, with a sentence for each thing that is the same or differs. */
export function ComparisonTable({ comparison }: { readonly comparison: RunComparison }): ReactNode {
  const { runs } = comparison;
  const [a, b] = runs;
  return (
    <>
      <table className="comparison">
        <thead>
          <tr>
            <th scope="col">Figure</th>
            {runs.map(({ runId, pipeline, status }, index) => (
              <th key={RUN_NAMES[index === 0 ? 0 : 1]} scope="col">
                {RUN_NAMES[index === 0 ? 0 : 1]} <StandingBadge of={status} />
                <a href={hashOfRun(runId)} title={inOneLine(runId)}>
                  {startOf(runId, 60)}
                </a>
                <span className="quiet">{startOf(pipeline, 60)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {figureRows(comparison, exactDuration)
            .filter(({ title }) => title !== 'status')
            .map(({ title, values }) => (
              <tr key={title} className={values[0] === values[1] ? undefined : 'differs'}>
                <th scope="row">{title}</th>
                <td>{values[0]}</td>
                <td>{values[1]}</td>
              </tr>
            ))}
        </tbody>
      </table>
      <ul className="plain-sentences">
        {comparisonSentences(comparison).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <p>
        <a href={hashOf({ page: 'compare', run: b.runId, other: a.runId })}>Swap A and B</a>
        {' · '}
        <a href={hashOf({ page: 'compare', run: a.runId, other: '' })}>Compare A with another run</a>
      </p>
    </>
  );
}
