/**
 * A task in an attempt: its tries, errors, prompt and output.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { ClosedPart } from '../../parts/closed-part.tsx';
import { DiffView } from '../../parts/diff-view.tsx';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { LongText } from '../../parts/long-text.tsx';
import { OutputView } from '../../parts/output-view.tsx';
import { amount, counted, exactDuration } from '../../parts/words.ts';
import { revisionWords } from './revision-words.ts';
import { standingOutput, taskUsage, type TaskHistory } from './task-history.ts';
import { ArtifactsView } from '../work/artifacts-view.tsx';
import { ChildRunLinks } from '../work/child-run-links.tsx';
import type { AttemptPlace } from '../work/child-runs.ts';
import { LogView } from '../work/log-view.tsx';
import { workIn } from '../work/work-in.ts';
import { WorkView } from '../work/work-view.tsx';

interface TaskViewProps {
  /** The attempt that the task is of, as its records name it. */
  readonly place: AttemptPlace;
  /** True if it is a task of a level of a fleet. */
  readonly isLevel: boolean;
  readonly task: TaskHistory;
  /** The same task in the previous attempt, with the name of that attempt. */
  readonly before: { readonly task: TaskHistory; readonly name: string } | undefined;
  /** The name of this attempt. */
  readonly attempt: string;
  /** True if a change was requested of the attempt. */
  readonly isRevised: boolean;
}

/** A task. */
export function TaskView({ place, isLevel, task, before, attempt, isRevised }: TaskViewProps): ReactNode {
  const name = inOneLine(task.name);
  const old = before && standingOutput(before.task);
  const now = standingOutput(task);
  const work = workIn(task.output?.value, isLevel);
  return (
    <section className="task" aria-label={`Task ${name}`}>
      <h4>
        {name} <span className={task.state === 'failed' ? 'bad' : 'quiet'}>{task.state}</span>
        {task.state === 'working' && task.progress !== '' ? (
          <span className="quiet">, {startOf(task.progress, 80)}</span>
        ) : null}
      </h4>
      <TaskFacts task={task} revision={isRevised ? revisionWords({ task, before, isLevel }) : ''} />
      <Failures task={task} />
      <Question task={task} />
      <ChildRunLinks place={place} task={task.name} />
      <LogView task={task} />
      {task.rework ? (
        <div>
          <p>It requests rework of {inOneLine(task.rework.phase)}:</p>
          <LongText text={task.rework.feedback} name="what it demands" />
        </div>
      ) : null}
      {work && task.completedAt !== null ? (
        <WorkView work={work} run={place.run} seq={task.completedAt} name={name} />
      ) : null}
      {now ? (
        <ClosedPart summary={task.edited ? 'Output, edited by a person' : 'Output'} startsOpen={!work}>
          {() => <OutputView value={now.value} name={`output of ${name}`} />}
        </ClosedPart>
      ) : null}
      {task.edited && task.output ? (
        <ClosedPart summary="Its own output">
          {() => <OutputView value={task.output?.value} name={`own output of ${name}`} />}
        </ClosedPart>
      ) : null}
      {now && old ? (
        <ClosedPart summary={`Changes since ${before.name}`}>
          {() => <DiffView name={name} before={old.value} after={now.value} names={[before.name, attempt]} />}
        </ClosedPart>
      ) : null}
      <ArtifactsView task={task} />
      {task.observations.length === 0 ? null : (
        <ClosedPart summary={counted(task.observations.length, 'observation')}>
          {() => <LongText text={task.observations.join('\n')} name={`observations of ${name}`} />}
        </ClosedPart>
      )}
    </section>
  );
}

interface TaskFactsProps extends Pick<TaskViewProps, 'task'> {
  /** The use that it has made of a requested change, in words. */
  readonly revision?: string;
}

/** Tries, usage, models and the prompt, on one line. */
export function TaskFacts({ task, revision = '' }: TaskFactsProps): ReactNode {
  const { tries, models, prompt } = task;
  const usage = taskUsage(task);
  const facts = [
    ...(tries > 1 ? [counted(tries, 'try').replace('trys', 'tries')] : []),
    ...(usage === '' ? [] : [usage]),
    ...models.map((model) => startOf(model, 60)),
    ...(revision === '' ? [] : [revision]),
  ];
  if (facts.length === 0 && !prompt) return null;
  return (
    <p className="task-facts quiet">
      {facts.join(' · ')}
      {prompt ? (
        <>
          {facts.length > 0 ? ' · ' : ''}prompt <code title={prompt.hash}>{prompt.hash.slice(0, 12)}</code>,{' '}
          {amount(prompt.chars)} characters
        </>
      ) : null}
    </p>
  );
}

/** Failed tries, the latest last. */
export function Failures({ task: { failures } }: Pick<TaskViewProps, 'task'>): ReactNode {
  if (failures.length === 0) return null;
  return (
    <ul className="failures">
      {failures.map(({ try: number, error, delayMs }) => (
        <li key={number}>
          <span className="bad">
            Try {number} failed{delayMs === null ? '' : `, the next after ${exactDuration(delayMs)}`}
          </span>{' '}
          <code className="quiet">{inOneLine(error.code)}</code>
          <LongText text={error.message} name={`error of try ${number}`} />
          {error.cause === undefined ? null : <LongText text={`Cause: ${error.cause}`} name="its cause" />}
        </li>
      ))}
    </ul>
  );
}

// --- internal ---

function Question({ task: { question, answer } }: Pick<TaskViewProps, 'task'>): ReactNode {
  if (question === undefined) return null;
  return (
    <div>
      <p className="quiet">A person was asked:</p>
      <LongText text={question} name="the question" />
      {answer ? (
        <>
          <p className="quiet">Answered{answer.who === undefined ? '' : ` by ${inOneLine(answer.who)}`}:</p>
          <OutputView value={answer.value} name="the answer" />
        </>
      ) : null}
    </div>
  );
}
