/**
 * The result of an answer, and the next open item.
 *
 * @module
 */
import { type ReactNode, useEffect, useRef } from 'react';
import type { ItemSequel } from '../../../../src/projections/inbox/item-sequel.ts';
import type { Answered, UiItem } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { useSession } from '../data/session.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { shellWord } from '../parts/shell-word.ts';
import { hashOf, hashOfRun } from '../route.ts';
import { aboutOf, isRefused } from './item-words.ts';
import { SequelSentence } from './sequel-sentence.tsx';

interface AnswerOutcomeProps extends AnswerProps {
  /** The effect of the answer; absent until the page has read it. */
  readonly sequel: ItemSequel | undefined;
}

/** The result, announced at once. It takes the focus, as it replaces the form. */
export function AnswerOutcome({ answered, item, sequel }: AnswerOutcomeProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isTaken = item.closedAt !== undefined || answered.state === 'taken';
  const outcome = item.outcome ?? answered.outcome ?? '';
  return (
    <section className="outcome" aria-labelledby="outcome-heading">
      <h2 id="outcome-heading" ref={heading} tabIndex={-1}>
        {isTaken ? (isRefused({ outcome }) ? 'Refused' : 'Answered') : 'Answer saved'}
      </h2>
      <div aria-live="polite">
        {isTaken ? (
          <p>{sequel ? <SequelSentence run={item.runId} sequel={sequel} /> : 'The item is closed.'}</p>
        ) : (
          <NotYetTaken answered={answered} item={item} />
        )}
      </div>
      <p>
        <a href={hashOfRun(item.runId, item.kind === 'limit' ? {} : { phase: item.about })}>Open the run</a>
      </p>
      <NextItem item={item} />
    </section>
  );
}

// --- internal ---

interface AnswerProps {
  readonly answered: Answered;
  readonly item: UiItem;
}

function NotYetTaken({ answered, item }: AnswerProps): ReactNode {
  const { store } = useSession();
  switch (answered.state) {
    case 'taken':
    case 'waiting':
      return <p>The process that works on the run has not taken it yet.</p>;
    case 'resumed':
      return <p>No process worked on the run. It has been resumed, and takes the answer.</p>;
    case 'starting':
      return (
        <p>
          No process worked on the run. It is being resumed, and then takes the answer. The page of the run shows
          errors.
        </p>
      );
    case 'kept':
      return (
        <>
          <p>No process works on the run. It takes the answer after you resume it:</p>
          <pre className="command">
            phasegate resume {shellWord(inOneLine(item.runId))} --store {shellWord(inOneLine(store))}
          </pre>
          {answered.problem ? (
            <p className="wrong">
              The run could not be resumed: {answered.problem.message}
              {answered.problem.hint === undefined ? '' : ` ${answered.problem.hint}`}
            </p>
          ) : null}
        </>
      );
  }
}

/** The oldest item without an answer. */
function NextItem({ item }: Pick<AnswerProps, 'item'>): ReactNode {
  const { version } = useChanges();
  const asked = useAsked<{ readonly items: readonly UiItem[] }>('/api/inbox', version);
  if (asked.state === 'loading') return null;
  const next = asked.value?.items.find((one) => one.id !== item.id && !one.answer);
  if (!next) return <p className="quiet">Nothing else waits for a person.</p>;
  return (
    <p>
      <a className="next" href={hashOf({ page: 'item', item: next.id })}>
        Next: {startOf(aboutOf(next), 60)}
      </a>{' '}
      <span className="quiet">{startOf(next.reason, 100)}</span>
    </p>
  );
}
