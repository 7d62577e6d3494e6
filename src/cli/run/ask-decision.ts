/**
 * Prompts for decisions during a run.
 *
 * @module
 */
import { createInterface, type Interface } from 'node:readline';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { planGraph, type Plan } from '../../model/plan/plan.ts';
import { namesAbove } from '../../model/values/graph.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { problemText } from '../../projections/wording/error-words.ts';
import { statusMarks } from '../../projections/wording/status-marks.ts';
import type { Run } from '../../runtime/run.ts';
import { helpLines, refusalText, replyIn } from '../inbox/ask-reply.ts';
import { excerptLines } from '../show/excerpt.ts';
import { refusalLines } from '../show/refusal-lines.ts';
import { plain } from '../terminal/line.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { manyLines, oneLine } from '../terminal/text.ts';

/** Asks the open questions of a run, one after the other. */
export interface Asker {
  /** Applies a record of the run, or of one that its tasks have started, so that a question can show the outputs that it is about. */
  apply(record: RunRecord): void;
  /** Stops asking. */
  close(): void;
}

/** Options of an asker. */
export interface AskerOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Called with `true` before the first question of a series, and with `false` after the last. */
  readonly onBusy: (busy: boolean) => void;
  /** True if the run is stored, so that a question can stay open when this process ends. @default false */
  readonly isStored?: boolean | undefined;
}

/**
 * Asks a person the questions of a run, and of the runs that its tasks have started. Only an unambiguous decision counts: after an empty or unknown line it asks again.
 * The end of the input suspends a stored run and cancels another.
 */
export function createAsker(
  run: Pick<Run<unknown>, 'id' | 'inbox' | 'answer' | 'cancel' | 'suspend'>,
  options: AskerOptions,
): Asker {
  const { input, output, onBusy, isStored = false } = options;
  const runs = new Map<string, Known>();
  let current: InboxItem | undefined;
  let lines: Interface | undefined;

  function print(text: string): void {
    output.write(`${text}\n`);
  }

  /** Asks the first open question, unless the current question is still open. */
  function next(): void {
    const waiting = run.inbox();
    if (waiting.some(({ id }) => id === current?.id)) return;
    const before = current;
    [current] = waiting;
    if (current === undefined) {
      close();
      if (before !== undefined) onBusy(false);
      return;
    }
    if (before === undefined) onBusy(true);
    listen();
    if (current.kind === 'task' || current.kind === 'review') askForWork(current);
    else askForDecision(current);
  }

  function listen(): void {
    if (lines) return;
    // `terminal: false` leaves line editing to the system, and Ctrl-C stays a signal.
    lines = createInterface({ input, terminal: false });
    lines.on('line', answer);
    lines.once('close', () => {
      if (!lines || current === undefined) return;
      if (isStored) run.suspend();
      else run.cancel(`The input ended before a decision on "${current.about}"`);
    });
  }

  function close(): void {
    const open = lines;
    lines = undefined;
    open?.close();
  }

  function answer(text: string): void {
    if (current === undefined) return;
    try {
      if (text.trim() === '') throw new PhasegateError('DECISION_INVALID', 'An empty line is no decision');
      // The question stays open until schemas and stores have accepted the answer.
      run.answer(current.id, replyIn(current, text), { nonce: current.nonce }).then(next, refuse);
    } catch (error) {
      refuse(error);
    }
  }

  function refuse(error: unknown): void {
    if (!PhasegateError.is(error)) throw error;
    const text = current
      ? refusalText(current, error, targetsOf(runs.get(current.runId)?.plan, current))
      : stripControls(problemText(error.message));
    print(text);
    output.write('> ');
  }

  /** Asks a person who does the task or is the reviewer. */
  function askForWork(item: InboxItem): void {
    print('');
    print(
      `${statusMarks.waiting.mark} ${oneLine(item.about)}/${oneLine(item.task ?? '')}${ofRun(item)} asks: ${manyLines(item.reason).replaceAll('\n', '\n  ')}`,
    );
    if (item.description) print(`  ${manyLines(item.description).replaceAll('\n', '\n  ')}`);
    showRefusal(item);
    if (item.kind === 'review') showOutputs(item);
    help(item);
  }

  function help(item: InboxItem): void {
    print(`  Answer with one of these lines; Ctrl-C ${isStored ? 'suspends the run' : 'cancels the run'}.`);
    for (const line of helpLines(item, targetsOf(runs.get(item.runId)?.plan, item))) print(`    ${line}`);
    output.write('> ');
  }

  /** Names the pipeline of a question of another run. */
  function ofRun({ runId, pipeline }: InboxItem): string {
    return runId === run.id ? '' : ` of "${oneLine(pipeline)}"`;
  }

  function showRefusal(item: InboxItem): void {
    for (const line of refusalLines(item, '  ')) print(plain(line));
  }

  function showOutputs({ runId, about }: InboxItem): void {
    for (const [task, value] of runs.get(runId)?.outputs.get(about) ?? []) {
      print(`  ${oneLine(task)}:`);
      for (const line of excerptLines(value)) print(plain(line));
    }
  }

  function askForDecision(item: InboxItem): void {
    const { about, kind, reason } = item;
    print('');
    print(
      `${statusMarks.waiting.mark} ${oneLine(about)}${ofRun(item)} waits for a person${kind === 'limit' ? ': the limit is reached, and the run is held' : ''}`,
    );
    if (kind !== 'limit') print(`  ${manyLines(reason).replaceAll('\n', '\n  ')}`);
    showRefusal(item);
    showOutputs(item);
    help(item);
  }

  return {
    apply({ event, runId }) {
      const known = runs.get(runId) ?? { plan: undefined, outputs: new Map<string, Map<string, unknown>>() };
      runs.set(runId, known);
      if (event.type === 'run.started') known.plan = event.plan;
      if (event.type === 'phase.started') known.outputs.delete(event.phase);
      if (event.type === 'task.completed') {
        const its = known.outputs.get(event.phase) ?? new Map<string, unknown>();
        known.outputs.set(event.phase, its.set(event.task, event.output));
      }
      if (MAY_CHANGE.has(event.type)) queueMicrotask(next);
    },
    close,
  };
}

// --- internal ---

/** The parts of a run that its questions show. */
interface Known {
  plan: Plan | undefined;
  /** The latest outputs of each phase, by task. */
  readonly outputs: Map<string, Map<string, unknown>>;
}

/** Events after which another question may be open. */
const MAY_CHANGE: ReadonlySet<string> = new Set([
  'task.asked',
  'task.answered',
  'task.failed',
  'item.changed',
  'review.decided',
  'phase.skipped',
  'phase.escalated',
  'phase.invalidated',
  'phase.cancelled',
  'phase.failed',
  'limit.reached',
  'limit.lifted',
  'run.ended',
]);

/** Returns the phases that an answer may send back: those of the gate for a reviewer, all ancestors for an escalated phase. */
function targetsOf(plan: Plan | undefined, { kind, about }: InboxItem): readonly string[] {
  const graph = plan && planGraph(plan);
  const index = graph?.indexOf.get(about);
  if (!graph || index === undefined || kind === 'limit') return [];
  return kind === 'review' ? (plan.phases[index]?.gate?.targets ?? []) : namesAbove(graph, index);
}
