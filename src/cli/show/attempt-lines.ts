/**
 * The attempts of a run: their decisions, their outcomes, and the differences of their outputs.
 *
 * @module
 */
import type { Attempt } from '../../projections/run/attempts.ts';
import { phraseText } from '../../projections/wording/phrase.ts';
import { decidedBy, decisionWords } from '../../projections/wording/record-words.ts';
import { span, type Line } from '../terminal/line.ts';
import { oneLine } from '../terminal/text.ts';
import { changedLines } from './changed-lines.ts';
import { correctionText } from './event-lines.ts';
import { excerptLines } from './excerpt.ts';

/** Describes every phase that has started: its attempts, decisions and changed outputs. */
export function attemptLines(attempts: ReadonlyMap<string, readonly Attempt[]>): readonly Line[] {
  return [...attempts].flatMap(([phase, own]) => [
    [],
    [span(oneLine(phase), 'strong')],
    ...own.flatMap((one, index) => storyLines(one, own[index - 1])),
  ]);
}

/** Returns the attempts of all phases for `--json`, in the order of their starts, with the demand on each as one text. */
export function attemptsAsJson(attempts: ReadonlyMap<string, readonly Attempt[]>): readonly unknown[] {
  return [...attempts.values()]
    .flat()
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ revision, ...attempt }) => ({ ...attempt, feedback: revision && correctionText(revision) }));
}

/** Names an attempt. @param number Its number among all attempts of its phase in the run, from 1. */
export function attemptName(number: number, generation: number): string {
  return `attempt ${number}${generation > 0 ? `, generation ${generation + 1}` : ''}`;
}

// --- internal ---

function storyLines(one: Attempt, before: Attempt | undefined): readonly Line[] {
  const head = `  ${attemptName(one.number, one.generation)}`;
  return [
    [span(head), span(one.end === null ? '' : `  ${one.end.replace('phase.', '')}`, 'dim')],
    ...(one.revision ? [[span(`    feedback: ${correctionText(one.revision)}`, 'dim')]] : []),
    ...Object.entries(one.outputs).flatMap(([task, output]) => outputLines(task, output, before?.outputs[task])),
    ...one.decisions.map((judged) => [
      span(`    ${oneLine(`${decidedBy(judged)}: ${phraseText(decisionWords(judged))}`)}`),
    ]),
  ];
}

function outputLines(task: string, output: unknown, before: unknown): readonly Line[] {
  const head: Line = [span(`    ${oneLine(task)}`, 'dim')];
  if (before === undefined) return [head, ...excerptLines(output, '--json').map(indent)];
  const changed = changedLines(before, output);
  if (changed === null) return [head, ...excerptLines(output, '--json').map(indent)];
  return changed.length === 0 ? [[span(`    ${oneLine(task)}: as before`, 'dim')]] : [head, ...changed];
}

function indent(line: Line): Line {
  return [span('  '), ...line];
}
