/**
 * The page of an inbox item: the question, the evidence and the answer.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { answeredBy } from '../../../../src/projections/wording/item-words.ts';
import type { Answered, UiItemDetail } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { useSession } from '../data/session.ts';
import { usePageMark } from '../parts/page-mark.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { AnswerForm } from './answer-form.tsx';
import { AnswerOutcome } from './answer-outcome.tsx';
import { ItemAttempts } from './item-attempts.tsx';
import { ItemDemands } from './item-demands.tsx';
import { ItemHead } from './item-head.tsx';
import { ItemUsage } from './item-usage.tsx';
import { ItemInputs } from './item-inputs.tsx';
import { ItemNews } from './item-news.tsx';
import { aboutOf, stateOf } from './item-words.ts';
import './inbox.css';

/** The page of an item. */
export function ItemPage({ id }: { readonly id: string }): ReactNode {
  const { versionOf, open } = useChanges();
  const asked = useAsked<UiItemDetail>(`/api/inbox/${encodeURIComponent(id)}`, `${versionOf(runIn(id))} ${open ?? ''}`);
  if (asked.state === 'loading') return <p className="quiet">Loading…</p>;
  const detail = asked.value;
  return (
    <>
      {asked.state === 'refused' && !detail ? <h1>This item cannot be shown</h1> : null}
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {detail ? <Item detail={detail} /> : null}
    </>
  );
}

// --- internal ---

function runIn(id: string): string {
  return id.replace(/:[^:]*$/u, '');
}

function Item({ detail }: { readonly detail: UiItemDetail }): ReactNode {
  const { item } = detail;
  const { readOnly } = useSession();
  const title = `${startOf(aboutOf(item), 60)} ${stateOf(item)}, ${startOf(item.pipeline, 60)}`;
  usePageMark(title, item.closedAt === undefined ? 'warn' : 'dim');
  const [answered, setAnswered] = useState<Answered | null>(null);
  const blocked = blockedBy(detail, readOnly);
  return (
    <article className="item">
      <ItemHead item={item} run={detail.run} />
      <ItemNews item={item} sequel={detail.sequel} isOwn={answered !== null} />
      <div className="item-columns">
        <div className="evidence">
          <Evidence detail={detail} />
          {answered || blocked !== null ? null : (
            <button type="button" className="primary to-answer" onClick={toAnswer}>
              Go to the answer
            </button>
          )}
        </div>
        <div className="answer-side" id="answer" tabIndex={-1}>
          {answered ? (
            <AnswerOutcome answered={answered} item={item} sequel={detail.sequel} />
          ) : (
            <AnswerForm detail={detail} blocked={blocked} onAnswered={setAnswered} />
          )}
        </div>
      </div>
    </article>
  );
}

/** The material to judge comes first, and statistics last. Of a limit, they are the material; of a task, its inputs are. */
function Evidence({ detail }: { readonly detail: UiItemDetail }): ReactNode {
  const { item } = detail;
  const inputs = <ItemInputs item={item} inputs={detail.inputs} />;
  const usage = <ItemUsage detail={detail} />;
  return (
    <>
      {item.kind === 'limit' ? usage : null}
      {item.kind === 'task' ? inputs : null}
      <ItemAttempts item={item} attempts={detail.attempts} />
      <ItemDemands detail={detail} />
      {item.kind === 'task' ? null : inputs}
      {item.kind === 'limit' ? null : usage}
    </>
  );
}

/** On narrow screens the answer is far below the evidence. */
function toAnswer(): void {
  const answer = document.getElementById('answer');
  answer?.scrollIntoView();
  answer?.focus({ preventScroll: true });
}

/** The reason why nothing can be sent; `null` if an answer can. */
function blockedBy({ item, mayAnswer }: UiItemDetail, readOnly: boolean): string | null {
  if (item.closedAt !== undefined) return 'The item is closed, so nothing can be sent.';
  if (item.answer) return `It is ${inOneLine(answeredBy(item.answer))}: nothing more can be sent.`;
  if (readOnly) return 'This dashboard is read-only: nothing can be sent.';
  return mayAnswer ? null : 'You may not answer this item: nothing can be sent.';
}
