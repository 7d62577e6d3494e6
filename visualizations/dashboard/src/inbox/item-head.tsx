/**
 * The question of an item, with its origin and its deadline.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiItem, UiRun } from '../../../../src/server/api.ts';
import { useNow } from '../data/now.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { LongText } from '../parts/long-text.tsx';
import { StandingBadge } from '../parts/status.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { hashOfRun } from '../route.ts';
import { aboutOf, becauseOf, deadlineOf, stateOf } from './item-words.ts';
import { SeverityTag } from './severity-tag.tsx';

interface ItemHeadProps {
  readonly item: UiItem;
  readonly run: UiRun;
}

/** The title, the facts and the question. */
export function ItemHead({ item, run }: ItemHeadProps): ReactNode {
  const now = useNow(5000);
  const deadline = deadlineOf(item, now);
  return (
    <header>
      <h1>
        <bdi>{startOf(aboutOf(item), 120)}</bdi> <span className="quiet">{stateOf(item)}</span>
      </h1>
      <button type="button" className="to-answer" onClick={toAnswer}>
        Go to the answer
      </button>
      <section aria-label="Question" className="asked">
        <LongText text={item.reason} name="the question" />
        {item.description === undefined ? null : <LongText text={item.description} name="the description" />}
      </section>
      <dl className="facts">
        <div>
          <dt>Run</dt>
          <dd>
            <a href={hashOfRun(item.runId, item.kind === 'limit' ? {} : { phase: item.about })}>
              <bdi>{startOf(item.pipeline, 80)}</bdi>
            </a>{' '}
            <code className="quiet">{inOneLine(item.runId)}</code> <StandingBadge of={run.standing} />
          </dd>
        </div>
        <div>
          <dt>Because</dt>
          <dd>{becauseOf(item)}</dd>
        </div>
        <div>
          <dt>Queue</dt>
          <dd>
            {startOf(item.queue, 60)} <SeverityTag severity={item.severity} />
          </dd>
        </div>
        <div>
          <dt>Asked</dt>
          <dd>
            <TimeAgo time={item.openedAt} now={now} />
          </dd>
        </div>
        {deadline === '' ? null : (
          <div>
            <dt>Deadline</dt>
            <dd>{deadline}</dd>
          </div>
        )}
      </dl>
    </header>
  );
}

// --- internal ---

/** On narrow screens the answer is far below the evidence. */
function toAnswer(): void {
  const answer = document.getElementById('answer');
  answer?.scrollIntoView();
  answer?.focus({ preventScroll: true });
}
