/**
 * The phases of two runs side by side.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import type {
  AttemptComparison,
  OutputComparison,
  PhaseComparison,
  RunComparison,
} from '../../../../src/projections/compare/compare-runs.ts';
import {
  attemptDecisions,
  attemptWords,
  outputWords,
  phaseWords,
  RUN_NAMES,
} from '../../../../src/projections/compare/comparison-words.ts';
import { DiffView } from '../parts/diff-view.tsx';
import { LongText } from '../parts/long-text.tsx';
import { OutputView } from '../parts/output-view.tsx';
import { StandingBadge } from '../parts/status.tsx';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { amount, exactDuration } from '../parts/words.ts';
import { hashOfRun } from '../route.ts';

interface ComparedPhasesProps {
  readonly comparison: RunComparison;
  /** True to show phases that are the same, too. */
  readonly showsAll: boolean;
}

/** The phases that differ, or all. */
export function ComparedPhases({ comparison, showsAll }: ComparedPhasesProps): ReactNode {
  const [most, setMost] = useState(PAGE);
  const phases = comparison.phases.filter(({ differences }) => showsAll || differences.length > 0);
  if (phases.length === 0) return null;
  return (
    <>
      {phases.slice(0, most).map((one) => (
        <ComparedPhase key={one.phase} compared={one} runs={comparison.runs} />
      ))}
      {phases.length > most ? (
        <button type="button" onClick={() => setMost(most + PAGE)}>
          Show {amount(Math.min(PAGE, phases.length - most))} more of {amount(phases.length)} phases
        </button>
      ) : null}
    </>
  );
}

// --- internal ---

/** Phases that are shown at first, and that each click adds. */
const PAGE = 50;

interface ComparedPhaseProps {
  readonly compared: PhaseComparison;
  readonly runs: RunComparison['runs'];
}

function ComparedPhase({ compared, runs }: ComparedPhaseProps): ReactNode {
  const { phase, phases, attempts, outputs, differences } = compared;
  const name = startOf(phase, 120);
  return (
    <section className="compared-phase" aria-label={name}>
      <h2>
        {name} <span className={differences.length === 0 ? 'quiet' : 'differs'}>{phaseWords(compared)}</span>
      </h2>
      <dl className="sides">
        {phases.map((side, index) => (
          <div key={RUN_NAMES[index === 0 ? 0 : 1]}>
            <dt>{RUN_NAMES[index === 0 ? 0 : 1]}</dt>
            <dd>
              {side === null ? (
                <span className="quiet">has no such phase</span>
              ) : (
                <>
                  <StandingBadge of={side.status} />{' '}
                  <a href={hashOfRun(runs[index === 0 ? 0 : 1].runId, { phase })}>
                    {amount(side.attempts.length)} {side.attempts.length === 1 ? 'attempt' : 'attempts'}
                  </a>{' '}
                  <span className="quiet">
                    {exactDuration(side.workMs)} of work, {exactDuration(side.waitMs)} of waiting
                  </span>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {attempts
        .filter((one) => one.differences.length > 0)
        .map((one) => (
          <ComparedAttempt key={one.number} compared={one} phase={name} />
        ))}
      {outputs.map((one) => (
        <ComparedOutput key={one.task} compared={one} />
      ))}
    </section>
  );
}

interface ComparedAttemptProps {
  readonly compared: AttemptComparison;
  readonly phase: string;
}

function ComparedAttempt({ compared, phase }: ComparedAttemptProps): ReactNode {
  const { number, attempts } = compared;
  return (
    <div className="compared-attempt">
      <h3>
        Attempt {number} <span className="quiet">{attemptWords(compared)}</span>
      </h3>
      <dl className="sides">
        {attempts.map((attempt, index) => {
          const name = RUN_NAMES[index === 0 ? 0 : 1];
          return (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {attempt === null ? <span className="quiet">has no such attempt</span> : null}
                {attemptDecisions(attempt).map((text, at) => (
                  <LongText key={`${at} ${text}`} text={text} name={`decision ${at + 1} of ${phase} in run ${name}`} />
                ))}
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}

/** The output of a task. Outputs are compared when they are opened, as large ones have to be fetched. */
function ComparedOutput({ compared }: { readonly compared: OutputComparison }): ReactNode {
  const { task, values, same } = compared;
  const [isOpen, setIsOpen] = useState(false);
  const [a, b] = values;
  const name = inOneLine(task);
  const isInBoth = a !== undefined && b !== undefined;
  return (
    <details className="compared-output" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        Output of {name} <span className={same ? 'quiet' : 'differs'}>{outputWords(compared)}</span>
      </summary>
      {isOpen && !same && isInBoth ? <DiffView name={name} before={a} after={b} names={['A', 'B']} /> : null}
      {isOpen && (same || !isInBoth) ? <OutputView value={a ?? b} name={name} /> : null}
    </details>
  );
}
