/**
 * The attempts of an item: their outputs, their verdicts, and their differences.
 *
 * @module
 */
import { type ReactNode, useId, useState } from 'react';
import type { TriedAttempt } from '../../../../src/projections/inbox/item-detail.ts';
import type { UiItem } from '../../../../src/server/api.ts';
import { ClosedPart } from '../parts/closed-part.tsx';
import { DiffView } from '../parts/diff-view.tsx';
import { inOneLine } from '../parts/untrusted-text.ts';
import { OutputView } from '../parts/output-view.tsx';
import { VerdictBadge, VerdictView } from '../parts/verdict-view.tsx';

interface ItemAttemptsProps {
  readonly item: UiItem;
  /** The oldest first. */
  readonly attempts: readonly TriedAttempt[];
}

/** The latest attempt, a comparison of two attempts, and the earlier attempts. */
export function ItemAttempts({ item, attempts }: ItemAttemptsProps): ReactNode {
  const last = attempts.at(-1);
  if (item.kind === 'limit' || !last) return null;
  // If a person is the first task, there are no outputs yet.
  if (item.kind === 'task' && attempts.length === 1 && Object.keys(last.outputs).length === 0) return null;
  return (
    <>
      <section aria-labelledby="attempt-heading">
        <h2 id="attempt-heading">
          Latest attempt: <span className="quiet">{nameOf(last)}</span>
        </h2>
        <Outputs attempt={last} />
        <Verdicts attempt={last} />
      </section>
      {attempts.length > 1 ? <Comparison attempts={attempts} /> : null}
      {attempts.length > 1 ? <Earlier attempts={attempts} /> : null}
    </>
  );
}

// --- internal ---

function Outputs({ attempt }: { readonly attempt: TriedAttempt }): ReactNode {
  const { replaced = {} } = attempt;
  const outputs = Object.entries(attempt.outputs);
  if (outputs.length === 0) return <p className="quiet">It has no outputs.</p>;
  return outputs.map(([task, value]) => (
    <div key={task} className="output">
      <h3>
        {inOneLine(task)}
        {task in replaced ? <span className="quiet"> as edited and approved</span> : null}
      </h3>
      <OutputView value={value} name={inOneLine(task)} />
      {replaced[task] === undefined ? null : (
        <ClosedPart summary="Its own output">
          {() => <OutputView value={replaced[task]} name={`own output of ${inOneLine(task)}`} />}
        </ClosedPart>
      )}
    </div>
  ));
}

function Verdicts({ attempt: { verdict, verdicts } }: { readonly attempt: TriedAttempt }): ReactNode {
  const reviewers = Object.entries(verdicts);
  if (!verdict && reviewers.length === 0) return null;
  const isAlone = reviewers.length <= 1;
  return (
    <>
      <h3>{isAlone ? 'Verdict' : 'Verdicts'}</h3>
      <dl className="verdicts">
        {reviewers.map(([name, one]) => (
          <div key={name}>
            <dt>{inOneLine(name)}</dt>
            <dd>
              <VerdictView verdict={one} by={inOneLine(name)} />
            </dd>
          </div>
        ))}
        {verdict && !isAlone ? (
          <div>
            <dt>The gate</dt>
            <dd>
              <VerdictBadge verdict={verdict} />
            </dd>
          </div>
        ) : null}
        {verdict && reviewers.length === 0 ? (
          <div>
            <dt>Decided</dt>
            <dd>
              <VerdictView verdict={verdict} by="the decision" />
            </dd>
          </div>
        ) : null}
      </dl>
    </>
  );
}

function Comparison({ attempts }: Pick<ItemAttemptsProps, 'attempts'>): ReactNode {
  const [pair, setPair] = useState<readonly [number, number] | null>(null);
  const last = attempts.length - 1;
  // New attempts are appended, so the chosen indices stay valid.
  const [from, to] = pair ?? [last - 1, last];
  const [before, after] = [attempts[from], attempts[to]];
  if (!before || !after) return null;
  const tasks = [...new Set([...Object.keys(after.outputs), ...Object.keys(before.outputs)])];
  const names = [nameOf(before), nameOf(after)] as const;
  return (
    <section aria-labelledby="changes-heading">
      <h2 id="changes-heading">What has changed</h2>
      <p className="pair">
        <AttemptChoice label="From" attempts={attempts} at={from} onChange={(at) => setPair([at, to])} />
        <AttemptChoice label="to" attempts={attempts} at={to} onChange={(at) => setPair([from, at])} />
      </p>
      {tasks.length === 0 ? <p className="quiet">Neither has outputs.</p> : null}
      {tasks.map((task) => (
        <div key={`${task} ${from} ${to}`} className="output">
          <h3>{inOneLine(task)}</h3>
          <DiffView
            name={inOneLine(task)}
            before={before.outputs[task] ?? ''}
            after={after.outputs[task] ?? ''}
            names={names}
          />
        </div>
      ))}
    </section>
  );
}

interface AttemptChoiceProps {
  readonly label: string;
  readonly attempts: readonly TriedAttempt[];
  readonly at: number;
  readonly onChange: (at: number) => void;
}

function AttemptChoice({ label, attempts, at, onChange }: AttemptChoiceProps): ReactNode {
  const id = useId();
  return (
    <span>
      <label htmlFor={id}>{label}</label>{' '}
      <select id={id} value={at} onChange={({ target }) => onChange(Number(target.value))}>
        {attempts.map((attempt, index) => (
          <option key={index} value={index}>
            {nameOf(attempt)}
          </option>
        ))}
      </select>
    </span>
  );
}

/** The earlier attempts, collapsed, as their outputs are long. */
function Earlier({ attempts }: Pick<ItemAttemptsProps, 'attempts'>): ReactNode {
  return (
    <section aria-labelledby="earlier-heading">
      <h2 id="earlier-heading">Earlier attempts</h2>
      {attempts
        .slice(0, -1)
        .map((one) => <EarlierAttempt key={one.number} name={nameOf(one)} attempt={one} />)
        .toReversed()}
    </section>
  );
}

function EarlierAttempt({ name, attempt }: { readonly name: string; readonly attempt: TriedAttempt }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {name} {attempt.verdict ? <VerdictBadge verdict={attempt.verdict} /> : null}
      </summary>
      {isOpen ? (
        <>
          <Outputs attempt={attempt} />
          <Verdicts attempt={attempt} />
        </>
      ) : null}
    </details>
  );
}

/** The same name as on the page of the run. */
function nameOf({ number }: TriedAttempt): string {
  return `attempt ${number}`;
}
