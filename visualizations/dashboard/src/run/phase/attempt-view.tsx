/**
 * An attempt of a phase.
 *
 * @module
 */
import { memo, type ReactNode, useEffect, useRef } from 'react';
import { usageText } from '../../../../../src/projections/wording/amount-words.ts';
import { issueId } from '../../../../../src/model/decision/issue.ts';
import { statusMarks } from '../../../../../src/projections/wording/status-marks.ts';
import { issueWords, loopText, unchangedText } from '../../../../../src/projections/run/loop-words.ts';
import { ClosedPart } from '../../parts/closed-part.tsx';
import { inOneLine } from '../../parts/untrusted-text.ts';
import { IssueEntry } from '../../parts/issue-entry.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { LookBadge } from '../../parts/status.tsx';
import { isoTime, timeText } from '../../parts/words.ts';
import { hashOf, type RunRoute } from '../../route.ts';
import { askedBy, endOf } from './attempt-words.ts';
import { DecisionView } from './decision-view.tsx';
import type { AttemptHistory } from './phase-history.ts';
import { ArtifactsView } from '../work/artifacts-view.tsx';
import { ConflictsView } from '../work/conflicts-view.tsx';
import { LogView } from '../work/log-view.tsx';
import { Failures, TaskFacts, TaskView } from './task-view.tsx';

interface AttemptViewProps {
  readonly phase: string;
  /** True if the phase is a level of a fleet. */
  readonly isLevel: boolean;
  readonly attempt: AttemptHistory;
  /** The previous attempt. */
  readonly before: AttemptHistory | undefined;
  readonly route: RunRoute;
  /** Its times of work and of waiting, in words. */
  readonly times: string;
  readonly isOpen: boolean;
  /** True if the URL selects this attempt. */
  readonly isWanted: boolean;
}

/** The attempt. Collapsed, it shows only its result. It is rendered again only if it changes. */
export const AttemptView = memo(function AttemptView(props: AttemptViewProps): ReactNode {
  const { attempt, times, isOpen, isWanted } = props;
  const { look, words } = endOf(attempt);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isWanted) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isWanted]);
  const used = usageOf(attempt);
  return (
    <li ref={item}>
      <ClosedPart
        className="attempt"
        startsOpen={isOpen}
        summary={
          <>
            <strong>{nameOf(attempt)}</strong> <LookBadge look={statusMarks[look]}>{words}</LookBadge>{' '}
            <span className="quiet">
              {times}
              {used.tokens + used.costUsd > 0 ? `, ${usageText(used)}` : ''}
            </span>
          </>
        }
      >
        {() => <AttemptParts {...props} />}
      </ClosedPart>
    </li>
  );
});

// --- internal ---

function AttemptParts({ phase, isLevel, attempt, before, route }: AttemptViewProps): ReactNode {
  const { tasks, decisions, warnings, reflections, revision, baseline, loops, unchanged, startedAt, seq, end } =
    attempt;
  const failed = end?.event.type === 'phase.failed' ? end.event.error : undefined;
  return (
    <div className="attempt-parts">
      <p className="quiet">
        Started{' '}
        <a href={hashOf({ ...route, at: seq })} title="Show the run as of this record">
          <time dateTime={isoTime(startedAt)}>{timeText(startedAt)}</time>
        </a>
        {attempt.generation > 0 ? `, in generation ${attempt.generation + 1}` : ''}
      </p>
      <RequestedChanges attempt={attempt} phase={phase} />
      {reflections.map(({ reflection, recalled }, at) => (
        <div key={at}>
          <h4>Reflection</h4>
          <LongText text={reflection ?? 'The reflection failed.'} name="the reflection" />
          {recalled?.map((one) => (
            <LongText
              key={`${one.run} ${one.reflection}`}
              text={`From the run ${one.run}: ${one.reflection}`}
              name="an earlier reflection"
            />
          ))}
        </div>
      ))}
      {baseline && baseline.failed.length > 0 ? (
        <div>
          <h4>Failed before the attempt</h4>
          {baseline.failed.map(({ check, details }) => (
            <LongText key={check} text={`${check}: ${details}`} name={`the check ${check}`} />
          ))}
        </div>
      ) : null}
      {tasks
        .filter(({ isReviewer }) => !isReviewer)
        .map((task) => {
          const old = before?.tasks.find((one) => one.name === task.name && !one.isReviewer);
          return (
            <TaskView
              key={task.name}
              place={{ run: route.run, phase, generation: attempt.generation, attempt: attempt.attempt }}
              isLevel={isLevel}
              task={task}
              before={before && old ? { task: old, name: nameOf(before) } : undefined}
              attempt={nameOf(attempt)}
              isRevised={revision !== undefined}
            />
          );
        })}
      <ConflictsView tasks={tasks} />
      {unchanged > 0 ? <p className="warning">Unchanged: {unchangedText(unchanged)}.</p> : null}
      {tasks
        .filter(({ isReviewer }) => isReviewer)
        .map((task) => (
          <section key={task.name} className="task" aria-label={`Reviewer ${inOneLine(task.name)}`}>
            <h4>
              Review by {inOneLine(task.name)}{' '}
              <span className="quiet">{task.state === 'asks a person' ? task.state : ''}</span>
            </h4>
            <TaskFacts task={task} />
            <Failures task={task} />
            <LogView task={task} />
            <ArtifactsView task={task} />
          </section>
        ))}
      {decisions.map((decision) => (
        <DecisionView key={decision.seq} decision={decision} route={route} />
      ))}
      {loops.map((loop, at) => (
        <p key={at} className="warning">
          It loops: {inOneLine(loopText(loop, issuesOf(decisions)))}.
        </p>
      ))}
      {warnings.map(({ code, message }, at) => (
        <div key={`${at} ${code}`} className="warning">
          <strong>Warning</strong> <code>{inOneLine(code)}</code>
          <LongText text={message} name="the warning" />
        </div>
      ))}
      {failed ? (
        <div>
          <h4>
            Failed <code className="quiet">{inOneLine(failed.code)}</code>
          </h4>
          <LongText text={failed.message} name="the error" />
        </div>
      ) : null}
    </div>
  );
}

/** The texts of the issues from the gate's review. */
function issuesOf(decisions: AttemptHistory['decisions']): ReturnType<typeof issueWords> | undefined {
  const review = decisions.findLast(({ by }) => by === 'gate');
  return review && issueWords(review);
}

/** The change that was requested of the attempt. */
function RequestedChanges({ attempt, phase }: Pick<AttemptViewProps, 'attempt' | 'phase'>): ReactNode {
  const { revision } = attempt;
  if (!revision) return null;
  const { requiredChange, feedback, issues = [] } = revision;
  return (
    <section className="told" aria-label="Requested change">
      <h4>Change requested by {askedBy(attempt, phase)}</h4>
      {requiredChange === undefined ? null : <LongText text={requiredChange} name="the required change" />}
      {feedback === '' ? null : <LongText text={feedback} name="the feedback" />}
      {issues.length === 0 ? null : (
        <ul className="issues">
          {issues.map((issue, at) => (
            <IssueEntry key={`${at} ${issueId(issue)}`} issue={issue} />
          ))}
        </ul>
      )}
    </section>
  );
}

function nameOf({ number }: AttemptHistory): string {
  return `Attempt ${number}`;
}

function usageOf({ tasks }: AttemptHistory): { readonly tokens: number; readonly costUsd: number } {
  return tasks.reduce((sum, { tokens, costUsd }) => ({ tokens: sum.tokens + tokens, costUsd: sum.costUsd + costUsd }), {
    tokens: 0,
    costUsd: 0,
  });
}
