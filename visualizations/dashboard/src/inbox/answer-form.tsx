/**
 * The form for answers: the choices, their consequences, and their fields.
 *
 * @module
 */
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { Answered, AnswerRequest, UiItemDetail } from '../../../../src/server/api.ts';
import { refusedBy, post, type Refused } from '../data/ask.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { inOneLine } from '../parts/untrusted-text.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { type Draft, type Drafted, preselected, replyOf } from './answer-draft.ts';
import { answerCommand } from './answer-command.ts';
import { AnswerFields } from './answer-fields.tsx';
import { BlockedNote } from './blocked-note.tsx';
import { chosenChoice } from './chosen-choice.ts';
import { ChoiceList } from './choice-list.tsx';
import { Consequences } from './consequences.tsx';
import { isRefused } from './item-words.ts';
import { useDraft } from './use-draft.ts';

interface AnswerFormProps {
  readonly detail: UiItemDetail;
  /** The reason why nothing can be sent; `null` if the form can be sent. */
  readonly blocked: string | null;
  readonly onAnswered: (answered: Answered) => void;
}

/** The form. It keeps the typed text if the server refuses the answer. Without any, it shows no choices once the item is over. */
export function AnswerForm({ detail, blocked, onAnswered }: AnswerFormProps): ReactNode {
  const [kept, change, drop] = useDraft(detail.item.id);
  const draft = preselected(kept, detail.item);
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<Refused | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const disabled = blocked !== null || sending;
  const choice = chosenChoice(draft, detail);
  const drafted = replyOf(draft, detail);
  const isOver = detail.item.closedAt !== undefined || detail.item.answer !== undefined;
  const command = 'reply' in drafted ? answerCommand(detail.item.id, drafted.reply) : null;

  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong="true"] input')?.focus();
  }, [problem]);

  const send = async () => {
    if ('problem' in drafted) {
      setProblem({ ...drafted });
      return;
    }
    setProblem(null);
    // An answer that ends the run needs a confirmation.
    if (draft.answer === 'abort' && !isAsking) {
      setIsAsking(true);
      return;
    }
    setSending(true);
    setRefusal(null);
    const request: AnswerRequest = { nonce: detail.item.nonce, reply: drafted.reply };
    try {
      const answered = await post<Answered>(`/api/inbox/${encodeURIComponent(detail.item.id)}/answer`, request);
      // The draft stays if the run refuses the answer and asks again, or has not taken it yet.
      if (answered.state === 'taken' && !isRefused(answered)) drop();
      onAnswered(answered);
    } catch (error) {
      setRefusal(refusedBy(error));
    } finally {
      setSending(false);
      setIsAsking(false);
    }
  };

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    void send();
  };

  return (
    <form ref={form} className="answer" aria-label="Answer" noValidate onSubmit={onSubmit}>
      {blocked === null ? null : <BlockedNote detail={detail} why={blocked} />}
      {isOver && kept.answer === null ? null : (
        <>
          <ChoiceList
            choices={detail.choices}
            answer={draft.answer}
            isWrong={problem?.field === 'answer'}
            disabled={disabled}
            onChange={(answer) => {
              setProblem(null);
              setIsAsking(false);
              change({ answer });
            }}
          />
          <AnswerFields draft={draft} detail={detail} change={change} wrong={problem?.field} disabled={disabled} />
          <div aria-live="polite">{choice ? <Consequences choice={choice} /> : null}</div>
        </>
      )}
      {refusal ? <RefusalNote error={refusal} /> : null}
      {problem ? (
        <p className="wrong" role="alert">
          {problemText(problem, draft)}
        </p>
      ) : null}
      {blocked === null ? (
        <Send
          word={sending ? 'Sending…' : draft.answer === null ? 'Send the answer' : `Send: ${draft.answer}`}
          isAsking={isAsking}
          disabled={disabled}
          onBack={() => setIsAsking(false)}
        />
      ) : null}
      {command && blocked === null ? <CopyCommand words={command} name="this answer" /> : null}
    </form>
  );
}

// --- internal ---

type Problem = Extract<Drafted, { readonly problem: string }>;

/** Problems of JSON are shown at the field itself. */
function problemText({ problem, field, task }: Problem, { value }: Draft): string {
  if (field === 'value' && value.as === 'json') return 'Nothing was sent. Correct the JSON.';
  return task === undefined ? problem : `Nothing was sent. Correct the JSON of ${inOneLine(task)}.`;
}

interface SendProps {
  readonly word: string;
  readonly isAsking: boolean;
  readonly disabled: boolean;
  readonly onBack: () => void;
}

function Send({ word, isAsking, disabled, onBack }: SendProps): ReactNode {
  const yes = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking) yes.current?.focus();
  }, [isAsking]);
  if (!isAsking) {
    return (
      <div className="send">
        <button type="submit" className="primary" disabled={disabled}>
          {word}
        </button>
      </div>
    );
  }
  return (
    <div className="second-question" role="alert">
      <p>This ends the whole run as cancelled. Abort it?</p>
      <button ref={yes} type="submit" className="danger" disabled={disabled}>
        Yes, abort the run
      </button>{' '}
      <button type="button" onClick={onBack} disabled={disabled}>
        No, go back
      </button>
    </div>
  );
}
