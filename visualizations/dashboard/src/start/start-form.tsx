/**
 * The form that starts a run of a pipeline.
 *
 * @module
 */
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { ulid } from 'ulid';
import type { Refusal, Started, StartRequest, UiPipeline } from '../../../../src/server/api.ts';
import { post, Refused, refusedBy } from '../data/ask.ts';
import { useSession } from '../data/session.ts';
import { go } from '../navigate.ts';
import { ClosedPart } from '../parts/closed-part.tsx';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { readable, startOf } from '../parts/untrusted-text.ts';
import { hashOfRun, routeOf } from '../route.ts';
import { emptyDraft, readDraft, type ReadInput } from './input-draft.ts';
import { InputPart } from './input-part.tsx';
import { placed } from './input-problems.ts';
import { WorkerAdvice } from './worker-advice.tsx';
import { SCROLLED } from '../parts/scrolled.ts';
import '../inbox/inbox.css';
import '../parts/diff.css';

/** The input, and the button that starts the run. Afterwards the page of the run opens. */
export function StartForm({ pipeline }: { readonly pipeline: UiPipeline }): ReactNode {
  const id = useId();
  const { actions } = useSession();
  const canBegin = actions.includes('resume');
  const [draft, setDraft] = useState(() => emptyDraft(pipeline));
  const [tries, setTries] = useState(0);
  const [begin, setBegin] = useState(canBegin);
  const [tags, setTags] = useState((pipeline.tags ?? []).join(' '));
  const [isSending, setIsSending] = useState(false);
  const [refusal, setRefusal] = useState<Refused | null>(null);
  const [stored, setStored] = useState<NotBegun | null>(null);
  const sent = useRef<{ readonly text: string; readonly runId: string } | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const fields = draft.isRaw ? [] : (pipeline.fields ?? []);
  const input = readDraft(draft, fields);
  const isWrong = refusal?.code === 'INPUT_INVALID';
  const refused = isWrong ? placed(refusal, fields) : null;
  const problems = refused?.atFields ?? shownProblems(input, tries > 0, draft.texts);
  useEffect(() => {
    // Of several marked fields, the first one is to be corrected first.
    if (tries > 0 || isWrong) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [tries, isWrong]);
  const send = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if ('problem' in input || isSending) return;
    if ('problems' in input) {
      setTries((count) => count + 1);
      return;
    }
    const words = tags.split(/[\s,]+/u).filter((word) => word !== '');
    const wanted = {
      pipeline: pipeline.name,
      ...input,
      ...((words.length > 0 || pipeline.tags) && { tags: words }),
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
  return (
    <form
      ref={form}
      noValidate
      className="start-form answer"
      aria-labelledby={`${id} heading`}
      aria-describedby={isWrong ? `${id} problem` : undefined}
      onSubmit={(event) => void send(event)}
    >
      <h2 id={`${id} heading`}>
        <bdi>{startOf(pipeline.name, 120)}</bdi>
      </h2>
      <InputPart
        pipeline={pipeline}
        draft={draft}
        problems={problems}
        isWrong={isWrong}
        disabled={isSending}
        onChange={(next) => {
          setDraft(next);
          setTries(0);
          setRefusal(null);
        }}
      />
      {refused ? (
        <p id={`${id} problem`} className="wrong note problem" role="alert">
          {readable([refused.atFields.size > 0 ? AT_FIELDS : [], ...refused.others].flat().join('\n'))}
        </p>
      ) : (
        <p className="quiet note about-input">
          {pipeline.isChecked ? 'A schema checks the input. ' : ''}
          {fields.length > 0 ? 'Empty fields are not sent.' : 'An empty field is no input.'}
        </p>
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
      <div className="field">
        <label htmlFor={`${id} tags`}>Tags</label>
        <input
          id={`${id} tags`}
          type="text"
          value={tags}
          placeholder="nightly team=search"
          maxLength={2000}
          disabled={isSending}
          onChange={({ target }) => setTags(target.value)}
        />
      </div>
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

const AT_FIELDS = 'The schema refuses the input. The marked fields say why.';

/** Problems to show: after a try to send, all; before, only of fields that have a text. */
function shownProblems(input: ReadInput, isTried: boolean, texts: readonly string[]): ReadonlyMap<number, string> {
  if (!('problems' in input)) return new Map();
  return new Map([...input.problems].filter(([at]) => isTried || texts[at] !== ''));
}
