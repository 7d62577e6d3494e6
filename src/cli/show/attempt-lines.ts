/**
 * The attempts of a run: their decisions, their outcomes, and the differences of their outputs.
 *
 * @module
 */
import { endsAttempt, type AttemptEnd } from '../../model/events/attempt-end.ts';
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import { phraseText } from '../../projections/wording/phrase.ts';
import { decidedBy, decisionWords } from '../../projections/wording/record-words.ts';
import { span, type Line } from '../terminal/line.ts';
import { oneLine } from '../terminal/text.ts';
import { changedLines } from './changed-lines.ts';
import { correctionText } from './event-lines.ts';
import { excerptLines } from './summary.ts';

/** One attempt of a phase. */
export interface AttemptStory {
  readonly phase: string;
  readonly generation: number;
  /** 0-based. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The demand on this attempt; `null` for the first attempt. */
  readonly feedback: string | null;
  /** Outputs by task, as far as tasks have completed. Outputs that a person edited replace the original ones. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly decisions: readonly Judged[];
  /** The type of the event that ended the attempt; `null` while it runs. */
  readonly end: AttemptEnd['type'] | null;
}

/** A decision on an attempt. `edited` has the outputs, by task, that a person approved instead of the original ones. */
export type Judged = Pick<EventOf<'review.decided'>, 'by' | 'who' | 'verdict' | 'edited'>;

/** Creates the fold from records to attempts, in the order of their starts. */
export function foldAttempts(): { apply(record: RunRecord): void; attempts(): readonly AttemptStory[] } {
  const all: Draft[] = [];
  const current = new Map<string, Draft>();
  return {
    apply({ event, time }) {
      if (!('phase' in event)) return;
      if (event.type === 'phase.started') {
        const { phase, generation, attempt, revision } = event;
        const feedback = revision ? correctionText(revision) : null;
        const draft: Draft = {
          phase,
          generation,
          attempt,
          startedAt: time,
          feedback,
          outputs: new Map(),
          decisions: [],
        };
        all.push(draft);
        current.set(phase, draft);
      }
      const draft = current.get(event.phase);
      if (!draft) return;
      if (event.type === 'task.completed') draft.outputs.set(event.task, event.output);
      else if (event.type === 'review.decided') {
        const { by, who, verdict, edited } = event;
        draft.decisions.push({ by, who, verdict, edited });
        for (const [task, output] of Object.entries(edited ?? {})) draft.outputs.set(task, output);
      } else if (endsAttempt(event)) draft.end = event.type;
    },
    attempts: () =>
      all.map((draft) => ({ ...draft, outputs: Object.fromEntries(draft.outputs), end: draft.end ?? null })),
  };
}

/** Describes every phase that has started: its attempts, decisions and changed outputs. */
export function attemptLines(attempts: readonly AttemptStory[]): readonly Line[] {
  const phases = new Map<string, AttemptStory[]>();
  for (const one of attempts) phases.set(one.phase, [...(phases.get(one.phase) ?? []), one]);
  return [...phases].flatMap(([phase, own]) => [
    [],
    [span(oneLine(phase), 'strong')],
    ...own.flatMap((one, index) => storyLines(one, own[index - 1], index + 1)),
  ]);
}

/** Names an attempt. @param number Its number among all attempts of its phase in the run, from 1. */
export function attemptName(number: number, generation: number): string {
  return `attempt ${number}${generation > 0 ? `, generation ${generation + 1}` : ''}`;
}

// --- internal ---

interface Draft extends Omit<AttemptStory, 'outputs' | 'decisions' | 'end'> {
  readonly outputs: Map<string, unknown>;
  readonly decisions: Judged[];
  end?: AttemptEnd['type'];
}

function storyLines(one: AttemptStory, before: AttemptStory | undefined, number: number): readonly Line[] {
  const head = `  ${attemptName(number, one.generation)}`;
  return [
    [span(head), span(one.end === null ? '' : `  ${one.end.replace('phase.', '')}`, 'dim')],
    ...(one.feedback === null ? [] : [[span(`    feedback: ${one.feedback}`, 'dim')]]),
    ...Object.entries(one.outputs).flatMap(([task, output]) => outputLines(task, output, before?.outputs[task])),
    ...one.decisions.map((judged) => [
      span(`    ${oneLine(`${decidedBy(judged)}: ${phraseText(decisionWords(judged))}`)}`),
    ]),
  ];
}

function outputLines(task: string, output: unknown, before: unknown): readonly Line[] {
  const head: Line = [span(`    ${oneLine(task)}`, 'dim')];
  if (before === undefined) return [head, ...excerptLines(output).map(indent)];
  const changed = changedLines(before, output);
  if (changed === null) return [head, ...excerptLines(output).map(indent)];
  return changed.length === 0 ? [[span(`    ${oneLine(task)}: as before`, 'dim')]] : [head, ...changed];
}

function indent(line: Line): Line {
  return [span('  '), ...line];
}
