/**
 * Runs as short stories for people: a line or a box for each decision.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';

/** The lines of a run: failures of tasks, verdicts, answers, crashes, and the end. */
export function linesOf(records: readonly RunRecord[]): readonly string[] {
  return records.flatMap((record) => lineOf(record) ?? []);
}

/** A run as a Mermaid flowchart, from decision to decision. */
export function drawStory(records: readonly RunRecord[]): string {
  const boxes = linesOf(records).map((line, index) => `  n${index}["${line.replaceAll('"', '#quot;')}"]`);
  const arrows = boxes.slice(1).map((_, index) => `  n${index} --> n${index + 1}`);
  return ['flowchart TD', ...boxes, ...arrows].join('\n');
}

// --- internal ---

function lineOf({ event }: RunRecord): string | undefined {
  const { type } = event;
  if (type === 'review.decided') {
    const { phase, attempt, verdict, by } = event;
    const why = verdict.type === 'unavailable' ? `: ${firstLine(verdict.error.message)}` : '';
    return `${phase}, attempt ${attempt + 1}: ${verdict.type}${by === 'gate' ? '' : ` (${by})`}${why}`;
  }
  if (type === 'task.failed') return `${event.phase}.${event.task} failed: ${firstLine(event.error.message)}`;
  if (type === 'phase.failed') return `${event.phase} has failed: ${firstLine(event.error.message)}`;
  if (type === 'phase.escalated') return `${event.phase} asks a person: ${event.because}`;
  if (type === 'loop.detected') return `${event.phase} goes round in a loop: ${event.kind}`;
  if (type === 'limit.reached') return `limit ${event.limit} is spent`;
  if (type === 'run.resumed') return 'the process died, and another one resumes the run';
  if (type === 'run.ended') return `the run has ended: ${event.status}`;
  return undefined;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
