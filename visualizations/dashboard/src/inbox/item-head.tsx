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
import { aboutOf, becauseOf, deadlineOf, isPlainQueue, stateOf, titleOf } from './item-words.ts';
import { SeverityTag } from './severity-tag.tsx';

interface ItemHeadProps {
  readonly item: UiItem;
  readonly run: UiRun;
}

/** The question or the title, the background, and the facts. */
export function ItemHead({ item, run }: ItemHeadProps): ReactNode {
  const question = titleOf(item);
  return (
    <header>
      {question === undefined ? (
        <h1>
          <About item={item} />
        </h1>
      ) : (
        <>
          <h1>
            <bdi>{question}</bdi>
          </h1>
          <p className="about">
            <About item={item} />
          </p>
        </>
      )}
      {question !== undefined && item.description === undefined ? null : (
        <section aria-label="Question" className="asked">
          {question === undefined ? <LongText text={item.reason} name="the question" /> : null}
          {item.description === undefined ? null : <LongText text={item.description} name="the description" />}
        </section>
      )}
      <Facts item={item} run={run} />
    </header>
  );
}

// --- internal ---

/** Most characters of the reason why an answer was refused; the log of the run has the whole text. */
const MOST_REFUSAL = 1000;

function About({ item }: Pick<ItemHeadProps, 'item'>): ReactNode {
  return (
    <>
      <bdi>{startOf(aboutOf(item), 120)}</bdi> <span className="quiet">{stateOf(item)}</span>
    </>
  );
}

/** The facts that the title does not tell. */
function Facts({ item, run }: ItemHeadProps): ReactNode {
  const now = useNow(5000);
  const deadline = deadlineOf(item, now);
  return (
    <dl className="facts">
      <div>
        <dt>Run</dt>
        <dd>
          <a href={hashOfRun(item.runId, item.kind === 'limit' ? {} : { phase: item.about })}>
            <bdi>{startOf(item.pipeline, 80)}</bdi>
          </a>{' '}
          <code className="quiet">{inOneLine(item.runId)}</code>{' '}
          {run.standing === 'waiting' ? null : <StandingBadge of={run.standing} />}
        </dd>
      </div>
      {item.because === 'asked' ? null : (
        <div>
          <dt>Because</dt>
          <dd>{becauseOf(item)}</dd>
        </div>
      )}
      {item.refusal === undefined || item.closedAt !== undefined ? null : (
        <div>
          <dt>Latest answer</dt>
          <dd>
            was refused: <bdi>{startOf(item.refusal, MOST_REFUSAL)}</bdi>
          </dd>
        </div>
      )}
      {isPlainQueue(item) ? null : (
        <div>
          <dt>Queue</dt>
          <dd>
            {startOf(item.queue, 60)} <SeverityTag severity={item.severity} />
          </dd>
        </div>
      )}
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
  );
}
