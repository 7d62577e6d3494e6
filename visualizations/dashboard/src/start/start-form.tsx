/**
 * The form that starts a run of a pipeline.
 *
 * @module
 */
import { type ReactNode, type SubmitEvent, useId, useRef, useState } from 'react';
import { ulid } from 'ulid';
import type { Refusal, Started, StartRequest, UiPipeline } from '../../../../src/server/api.ts';
import { post, Refused, refusedBy } from '../data/ask.ts';
import { useSession } from '../data/session.ts';
import { readTyped, type Typed } from '../inbox/answer-draft.ts';
import { TypedField } from '../inbox/typed-field.tsx';
import { go } from '../navigate.ts';
import { ClosedPart } from '../parts/closed-part.tsx';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { startOf } from '../parts/untrusted-text.ts';
import { hashOfRun, routeOf } from '../route.ts';
import { WorkerAdvice } from './worker-advice.tsx';
import { SCROLLED } from '../parts/scrolled.ts';

/** The input, and the button that starts the run. Afterwards the page of the run opens. */
export function StartForm({ pipeline }: { readonly pipeline: UiPipeline }): ReactNode {
  const id = useId();
  const { actions } = useSession();
  const canBegin = actions.includes('resume');
  const [typed, setTyped] = useState<Typed>({ as: wantsText(pipeline.schema) ? 'text' : 'json', text: '' });
  const [begin, setBegin] = useState(canBegin);
  const [tags, setTags] = useState('');
  const [isSending, setIsSending] = useState(false);
  const [refusal, setRefusal] = useState<Refused | null>(null);
  const [stored, setStored] = useState<NotBegun | null>(null);
  const sent = useRef<{ readonly text: string; readonly runId: string } | null>(null);
  const input = inputOf(typed);
  const send = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if ('problem' in input || isSending) return;
    const words = tags.split(/[\s,]+/u).filter((word) => word !== '');
    const wanted = {
      pipeline: pipeline.name,
      ...input,
      ...(words.length > 0 && { tags: words }),
      ...(begin && { begin }),
    };
    const text = JSON.stringify(wanted);
    // The same request keeps its id, so that sending it again starts no second run.
    const runId = sent.current?.text === text ? sent.current.runId : ulid();
    sent.current = { text, runId };
    setIsSending(true);
    setRefusal(null);
    setStored(null);
    try {
      const { problem } = await post<Started>('/api/runs', { ...wanted, runId } satisfies StartRequest);
      if (problem === undefined) go(routeOf(hashOfRun(runId)));
      else {
        setStored({ runId, problem });
        setIsSending(false);
      }
    } catch (error) {
      setRefusal(refusedBy(error));
      setIsSending(false);
    }
  };
  const isWrong = refusal?.code === 'INPUT_INVALID';
  return (
    <form
      className="start-form answer"
      aria-labelledby={`${id} heading`}
      aria-describedby={isWrong ? `${id} problem` : undefined}
      onSubmit={(event) => void send(event)}
    >
      <h2 id={`${id} heading`}>
        <bdi>{startOf(pipeline.name, 120)}</bdi>
      </h2>
      <TypedField
        label="Input"
        typed={typed}
        onChange={(next) => {
          setTyped(next);
          setRefusal(null);
        }}
        isWrong={isWrong}
        disabled={isSending}
      />
      {isWrong ? (
        <p id={`${id} problem`} className="wrong note problem" role="alert">
          {refusal.message}
        </p>
      ) : (
        <p className="quiet note">{pipeline.isChecked ? 'A schema checks it. ' : ''}An empty field is no input.</p>
      )}
      {pipeline.schema === undefined ? null : (
        <ClosedPart summary="Schema of the input">
          {() => (
            <pre className="schema" {...SCROLLED}>
              {JSON.stringify(pipeline.schema, null, 2)}
            </pre>
          )}
        </ClosedPart>
      )}
      <p>
        <label htmlFor={`${id} tags`}>Tags</label>{' '}
        <input
          id={`${id} tags`}
          value={tags}
          placeholder="nightly team=search"
          maxLength={2000}
          disabled={isSending}
          onChange={({ target }) => setTags(target.value)}
        />
      </p>
      {canBegin ? (
        <label className="begin">
          <input type="checkbox" checked={begin} onChange={({ target }) => setBegin(target.checked)} /> begin at once,
          without a worker
        </label>
      ) : null}
      {begin ? null : <WorkerAdvice pipeline={pipeline} />}
      <button type="submit" className="primary" disabled={isSending || 'problem' in input}>
        {isSending ? 'Starting…' : 'Start'}
      </button>
      {refusal && !isWrong ? <RefusalNote error={refusal} /> : null}
      {stored ? (
        <div role="alert">
          <p>
            The run is stored, and a worker may begin it: <a href={hashOfRun(stored.runId)}>{stored.runId}</a>. It could
            not be begun here.
          </p>
          <RefusalNote error={new Refused({ error: stored.problem })} />
        </div>
      ) : null}
    </form>
  );
}

// --- internal ---

/** A stored run that the server could not begin. */
interface NotBegun {
  readonly runId: string;
  readonly problem: Refusal['error'];
}

function inputOf(typed: Typed): { readonly input?: unknown } | { readonly problem: string } {
  if (typed.text.trim() === '') return {};
  const read = readTyped(typed);
  return 'value' in read ? { input: read.value } : read;
}

/** True if the schema accepts text, which then needs no quotes. */
function wantsText(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'string';
}
