/**
 * Actions on a run: resume, retry, cancel and fork.
 *
 * @module
 */
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import type { CancelRequest, Done, Forked, ForkRequest, RunAction, UiRun } from '../../../../src/server/api.ts';
import { refusedBy, type Refused, post } from '../data/ask.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { inOneLine } from '../parts/untrusted-text.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { hashOfRun } from '../route.ts';
import { doneText } from './done-words.ts';
import { forkAt } from './fork-at.ts';
import './runs.css';

interface RunActionsProps {
  readonly run: UiRun;
  /** The selected record, if the page shows an earlier state of the run. Such a state can only be forked. */
  readonly at?: number | undefined;
}

/** The buttons, and the result of the last action. */
export function RunActions({ run, at }: RunActionsProps): ReactNode {
  const [asking, setAsking] = useState<'cancel' | 'fork' | null>(null);
  const [doing, setDoing] = useState<RunAction | null>(null);
  const [done, setDone] = useState<ReactNode>(null);
  /** The run in the answer. The result is removed when the status changes later. */
  const saidOf = useRef<Said | null>(null);
  const [refusal, setRefusal] = useState<Refused | null>(null);
  const told = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The result takes the focus, as the form that had it is gone.
    if (done !== null) told.current?.focus();
  }, [done]);
  useEffect(() => {
    const said = saidOf.current;
    // The page may be behind the answer, and show a status that the run had before.
    if (said === null || done === null || run.seq < said.seq) return;
    if (run.standing === said.standing) said.isShown = true;
    else if (said.isShown || run.seq > said.seq) setDone(null);
  }, [run.standing, run.seq, done]);
  const actions = at === undefined ? run.actions : run.actions.filter((action) => action === 'fork');
  const act = async (action: RunAction, request: CancelRequest | ForkRequest = {}) => {
    setDoing(action);
    setRefusal(null);
    setDone(null);
    try {
      const answer = await post<Done | Forked>(`/api/runs/${encodeURIComponent(run.runId)}/${action}`, request);
      saidOf.current = 'run' in answer ? { standing: answer.run.standing, seq: answer.run.seq, isShown: false } : null;
      setDone(toldBy(action, run, answer));
      setAsking(null);
    } catch (error) {
      setRefusal(refusedBy(error));
    } finally {
      setDoing(null);
    }
  };
  return (
    <div className="run-actions">
      <div className="buttons">
        {actions.map((action) => (
          <span key={action} className="action">
            <button
              type="button"
              disabled={doing !== null}
              aria-expanded={asks(action) ? asking === action : undefined}
              onClick={() => {
                setDone(null);
                if (asks(action)) setAsking(asking === action ? null : action);
                else void act(action);
              }}
            >
              {doing === action ? 'Working…' : WORDS[action].name}
            </button>
            <CopyCommand words={commandOf(action, run.runId, at ?? run.seq)} name={WORDS[action].name} />
          </span>
        ))}
        {actions.length === 0 ? <span className="quiet">No action is possible from here.</span> : null}
      </div>
      {asking === 'cancel' && run.actions.includes('cancel') ? (
        <CancelForm disabled={doing !== null} onSend={(request) => void act('cancel', request)} />
      ) : null}
      {asking === 'fork' && run.actions.includes('fork') ? (
        <ForkForm
          run={run}
          at={at ?? run.seq}
          disabled={doing !== null}
          onSend={(request) => void act('fork', request)}
        />
      ) : null}
      <div ref={told} tabIndex={-1} className="told" aria-live="polite">
        {done}
      </div>
      {refusal ? <RefusalNote error={refusal} /> : null}
    </div>
  );
}

// --- internal ---

interface Said extends Pick<UiRun, 'standing' | 'seq'> {
  /** True if the page has shown that status since. */
  isShown: boolean;
}

const WORDS: Readonly<Record<RunAction, { readonly name: string }>> = {
  resume: { name: 'Resume' },
  retry: { name: 'Retry what was not approved' },
  cancel: { name: 'Cancel…' },
  fork: { name: 'Fork…' },
};

/** The words of the command after `phasegate`. */
function commandOf(action: RunAction, run: string, at: number): readonly string[] {
  return action === 'fork' ? ['fork', run, '--at', String(at)] : [action, run];
}

function asks(action: RunAction): action is 'cancel' | 'fork' {
  return action === 'cancel' || action === 'fork';
}

function toldBy(action: RunAction, before: UiRun, done: Done | Forked): ReactNode {
  if ('run' in done) return action === 'fork' ? null : <p>{doneText(action, before, done.run)}</p>;
  return (
    <>
      <p>
        Made run <a href={hashOfRun(done.runId)}>{inOneLine(done.runId)}</a>.
      </p>
      {done.problem ? (
        <p className="wrong">
          It was not resumed: {done.problem.message}
          {done.problem.hint === undefined ? '' : ` ${done.problem.hint}`}
        </p>
      ) : null}
    </>
  );
}

interface FormProps<Request> {
  readonly disabled: boolean;
  readonly onSend: (request: Request) => void;
}

function CancelForm({ disabled, onSend }: FormProps<CancelRequest>): ReactNode {
  const id = useId();
  const [reason, setReason] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSend(reason.trim() === '' ? {} : { reason });
  };
  return (
    <form aria-label="Cancel" onSubmit={onSubmit}>
      <label htmlFor={id}>Why? (optional)</label>
      <input ref={field} id={id} type="text" value={reason} onChange={({ target }) => setReason(target.value)} />
      <button type="submit" className="danger" disabled={disabled}>
        Cancel the run
      </button>
    </form>
  );
}

function ForkForm({ run, at: first, disabled, onSend }: FormProps<ForkRequest> & Required<RunActionsProps>): ReactNode {
  const id = useId();
  const [at, setAt] = useState(String(first));
  const [goesOn, setGoesOn] = useState(true);
  const read = forkAt(at, run.seq);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if ('at' in read) onSend({ at: read.at, run: goesOn });
  };
  return (
    <form aria-label="Fork" onSubmit={onSubmit}>
      <label htmlFor={id}>From record or phase</label>
      <input
        ref={field}
        id={id}
        type="text"
        value={at}
        aria-invalid={'problem' in read}
        aria-describedby={`${id} note`}
        onChange={({ target }) => setAt(target.value)}
      />
      <label>
        <input type="checkbox" checked={goesOn} onChange={({ target }) => setGoesOn(target.checked)} /> resume at once
      </label>
      <button type="submit" disabled={disabled || 'problem' in read}>
        Fork the run
      </button>
      <p id={`${id} note`} className={'problem' in read ? 'wrong note' : 'quiet note'}>
        {'problem' in read ? read.problem : read.means}
      </p>
    </form>
  );
}
