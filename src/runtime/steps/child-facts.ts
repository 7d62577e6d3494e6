/**
 * Facts that a run tells the one whose task has started it: usage, progress, and waits for people.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import type { RunRecord } from '../../model/events/event.ts';
import type { Report } from '../../model/handlers/task.ts';
import { starterIn, type Starter } from '../../model/handlers/work-key.ts';
import { reporterOf } from '../records/child-reports.ts';
import type { WorkFact } from './outstanding-work.ts';

/** Returns the facts for the parent that follow from the records after a number. None for a run that no task has started. */
export function factsAbove(
  runId: string,
  pipeline: Pick<Pipeline, 'name' | 'plan'>,
  records: readonly RunRecord[],
  after: number,
): readonly WorkFact[] {
  const starter = starterIn(runId);
  if (!starter) return [];
  let reports: Report[] = [];
  const note = reporterOf(runId, pipeline, { ...starter, report: (one) => reports.push(one) }, { events: [], seq: 0 });
  for (const record of records) {
    if (record.seq === after + 1) reports = [];
    note(record);
  }
  return records.length > after ? reports.flatMap((one) => factsOf(starter, one)) : [];
}

// --- internal ---

function factsOf({ phase, generation, attempt, task }: Starter, report: Report): readonly WorkFact[] {
  const { tokens, costUsd, inputTokens, outputTokens, model, provider, estimated, progress, waiting } = report;
  const fact: WorkFact = {
    type: 'report',
    report: {
      type: 'task.reported',
      phase,
      generation,
      attempt,
      task,
      reviewer: false,
      ...(tokens !== undefined && { tokens }),
      ...(costUsd !== undefined && { costUsd }),
      ...(estimated && { estimated }),
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(model !== undefined && { model }),
      ...(provider !== undefined && { provider }),
      ...(progress !== undefined && { progress }),
      ...(waiting !== undefined && { waiting }),
    },
  };
  return [{ type: 'use', task, tokens, costUsd }, fact];
}
