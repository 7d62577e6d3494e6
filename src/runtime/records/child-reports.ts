/**
 * Records of a child run as reports of the task that has started it.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import type { EventOf, RunEvent, RunRecord } from '../../model/events/event.ts';
import { foldRunTimes } from '../../model/events/run-times.ts';
import type { Report, TaskContext } from '../../model/handlers/task.ts';

/** The parent of a child, and the child, as they are when the child is opened. */
export interface Opening {
  /** Events of the parent. */
  readonly events: readonly RunEvent[];
  /** Number of stored records of the child; 0 for a new one. */
  readonly seq: number;
}

/** One attempt of the task of a parent, and the function that takes its reports. */
interface Reporting extends Pick<TaskContext, 'phase' | 'task' | 'generation' | 'attempt'> {
  readonly report: (report: Report) => void;
}

/**
 * Returns a listener that reports the usage and progress of a child as those of its task, and its waits for people. Usage that the
 * parent has of an earlier process is not reported again.
 */
export function reporterOf(
  id: string,
  { name, plan }: Pick<Pipeline, 'name' | 'plan'>,
  { report, phase, task, generation, attempt }: Reporting,
  { events, seq: known }: Opening,
): (record: RunRecord) => void {
  const reported = { tokens: 0, costUsd: 0 };
  let isWaiting = false;
  const begun = events.findLastIndex((event) => event.type === 'phase.started' && event.phase === phase);
  for (const event of events.slice(begun)) {
    if (event.type !== 'task.reported' || event.phase !== phase || event.task !== task || event.reviewer) continue;
    // Usage of an earlier attempt may come late.
    if (event.generation !== generation || event.attempt !== attempt) continue;
    isWaiting = event.waiting ?? isWaiting;
    if (known === 0) continue;
    reported.tokens += event.tokens ?? 0;
    reported.costUsd += event.costUsd ?? 0;
  }
  const approved = new Set<string>();
  const times = foldRunTimes();
  /** Number of records that are copies of an earlier run. Their usage was reported by its task. */
  let copied = 0;

  function reportUsage(event: EventOf<'task.reported'>): void {
    const tokens = rest(event.tokens, reported, 'tokens');
    const costUsd = rest(event.costUsd, reported, 'costUsd');
    if (tokens > 0 || costUsd > 0) report({ ...usageOf(event, tokens, costUsd) });
  }

  return ({ seq, event, time }) => {
    if (event.type === 'run.started') copied = event.forked?.records ?? 0;
    if (event.type === 'phase.approved') approved.add(event.phase);
    times.apply({ event, time });
    if (seq <= copied) return;
    if (event.type === 'phase.approved') {
      report({ progress: `${approved.size} of ${plan.phases.length} phases of "${name}" approved in run ${id}` });
    }
    if (event.type === 'task.reported') reportUsage(event);
    // The task ends with the run. Earlier waits are over.
    if (seq <= known || event.type === 'run.ended' || isWaiting === !times.isWorking()) return;
    isWaiting = !isWaiting;
    report({ waiting: isWaiting });
  };
}

// --- internal ---

/** The part of an amount that is new. The rest is taken from what was reported before. */
function rest(amount = 0, reported: { tokens: number; costUsd: number }, of: 'tokens' | 'costUsd'): number {
  const known = Math.min(amount, reported[of]);
  reported[of] -= known;
  return amount - known;
}

function usageOf(
  { model, provider, estimated, ...event }: EventOf<'task.reported'>,
  tokens: number,
  costUsd: number,
): Report {
  // The split of tokens is known only of a whole report.
  const isWhole = tokens === (event.tokens ?? 0);
  return {
    ...(tokens > 0 && { tokens }),
    ...(costUsd > 0 && { costUsd }),
    ...(isWhole && event.inputTokens !== undefined && { inputTokens: event.inputTokens }),
    ...(isWhole && event.outputTokens !== undefined && { outputTokens: event.outputTokens }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(estimated && { estimated }),
  };
}
