/**
 * The input of a run and, if it is over, its result.
 *
 * @module
 */
import { type ReactNode, useMemo } from 'react';
import { referenceIn } from '../../../../src/model/events/large-values.ts';
import type { RecordLog } from '../data/records.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import { ClosedPart } from '../parts/closed-part.tsx';
import { OutputView } from '../parts/output-view.tsx';
import { SCROLLED } from '../parts/scrolled.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { hashOf, type RunRoute } from '../route.ts';

interface RunStoryProps {
  readonly log: RecordLog;
  readonly moment: RunAtRecord;
  readonly route: RunRoute;
}

/** The input with its beginning, and the outputs of the last phases. */
export function RunStory({ log, moment, route }: RunStoryProps): ReactNode {
  return (
    <div className="run-story">
      <Input log={log} />
      <Result moment={moment} route={route} />
    </div>
  );
}

// --- internal ---

/** Most characters of the beginning of an input. */
const MOST = 160;

function Input({ log }: Pick<RunStoryProps, 'log'>): ReactNode {
  const first = log.records[0]?.event;
  const input = first?.type === 'run.started' ? first.input : undefined;
  if (input === undefined || input === null) return null;
  return (
    <ClosedPart
      className="input"
      summary={
        <>
          <strong>Input</strong> <span className="quiet">{beginningOf(input)}</span>
        </>
      }
    >
      {() => <OutputView value={input} name="the input" />}
    </ClosedPart>
  );
}

function beginningOf(input: unknown): string {
  if (referenceIn(input) !== undefined) return 'is large';
  return startOf(typeof input === 'string' ? input : JSON.stringify(input), MOST);
}

/** The outputs of the approved phases on which no other phase depends. */
function Result({ moment: { plan, snapshot }, route }: Pick<RunStoryProps, 'moment' | 'route'>): ReactNode {
  const outputs = useMemo(() => {
    if (snapshot.status === 'running') return [];
    const needed = new Set(plan?.phases.flatMap((phase) => phase.after));
    return (plan?.phases ?? []).flatMap(({ name }) => {
      const result = snapshot.phases[name];
      if (result?.status !== 'approved' || needed.has(name)) return [];
      return Object.entries(result.outputs ?? {}).map(([task, value]) => ({ phase: name, task, value }));
    });
  }, [plan, snapshot]);
  if (outputs.length === 0) return null;
  return (
    <section className="result" aria-labelledby="result-heading">
      <h2 id="result-heading">Result</h2>
      <div className="outputs" {...SCROLLED}>
        {outputs.slice(0, MOST_OUTPUTS).map(({ phase, task, value }) => (
          <div key={JSON.stringify([phase, task])}>
            <h3>
              <a href={hashOf({ ...route, phase, attempt: null })}>
                <bdi>{startOf(phase, 80)}</bdi>
              </a>{' '}
              / <bdi>{startOf(task, 80)}</bdi>
            </h3>
            <OutputView value={value} name={`${inOneLine(task)} of ${inOneLine(phase)}`} />
          </div>
        ))}
      </div>
      {outputs.length > MOST_OUTPUTS ? (
        <p className="quiet">and {outputs.length - MOST_OUTPUTS} more, in the panels of their phases</p>
      ) : null}
    </section>
  );
}

const MOST_OUTPUTS = 6;
