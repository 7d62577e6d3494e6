/**
 * Reporters: the ways to show a run, as JSON, as plain lines or as a live tree.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import { foldRunForTree } from '../live-tree/run-fold.ts';
import { createEventLines } from '../show/event-lines.ts';
import { summaryLines } from '../show/summary.ts';
import { captureWrites } from '../terminal/capture-writes.ts';
import { createPainter, type Line } from '../terminal/line.ts';
import type { OutputStream, ProgramIo } from '../terminal/program-io.ts';

/** Shows one run. */
export interface Reporter {
  show(record: RunRecord): void;
  /** Applies a record of an earlier process without showing it. */
  recall(record: RunRecord): void;
  /** Applies a record of a run that a task has started. */
  child(record: RunRecord): void;
  /**
   * Shows the end of the run. No record follows.
   *
   * @param notes Lines to print after the summary.
   * @param rest The command that shows the whole run, for a summary without room for it.
   */
  end(result: RunResult<unknown>, notes: readonly Line[], rest: string): void;
  /** Stops drawing, and erases what was drawn. */
  pause(): void;
  /** Stops drawing, and leaves the state of the run above the question that follows. */
  leave(): void;
  /** Draws again. */
  resume(): void;
}

/** Creates a reporter that writes records as JSON lines to standard output. Output of the pipeline goes to standard error. */
export function createJsonReporter(io: ProgramIo): Reporter {
  const out = captureWrites(io.stdout, (text) => io.stderr.write(text));
  return {
    show: (record) => out.write(`${JSON.stringify(record)}\n`),
    recall: () => undefined,
    child: () => undefined,
    end(result, notes) {
      out.release();
      const paint = createPainter(seesColours(io.stderr, io));
      io.stderr.write(asText([...summaryLines(result, undefined), ...notes].map(paint)));
    },
    pause: () => undefined,
    leave: () => undefined,
    resume: () => undefined,
  };
}

/** Creates a reporter that prints a plain line for each event. */
export function createPlainReporter(io: ProgramIo): Reporter {
  const lines = createEventLines();
  const state = foldRunForTree();
  const paint = createPainter(seesColours(io.stdout, io));
  return {
    show(record) {
      if (record.event.type === 'run.started') state.apply(record);
      io.stdout.write(`${lines(record)}\n`);
    },
    recall(record) {
      state.apply(record);
      lines.recall(record);
    },
    child(record) {
      const { event } = record;
      // The run waits for the answer, or for another one after a refusal.
      if (event.type === 'task.asked' || (event.type === 'item.changed' && event.change === 'refused'))
        io.stdout.write(`${lines(record)}\n`);
    },
    end: (result, notes) => io.stdout.write(asText([...summaryLines(result, state.plan), ...notes].map(paint))),
    pause: () => undefined,
    leave: () => undefined,
    resume: () => undefined,
  };
}

/**
 * True if output should have colours. `FORCE_COLOR` decides if it is set (`0` and `false` mean no). Otherwise a terminal has colours,
 * unless `NO_COLOR` is set or the terminal is dumb.
 */
export function seesColours({ isTTY = false }: OutputStream, { env }: Pick<ProgramIo, 'env'>): boolean {
  const { FORCE_COLOR, NO_COLOR = '', TERM = '' } = env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY && NO_COLOR === '' && TERM !== 'dumb';
}

/** True if the live tree can be drawn: on a terminal that can move the cursor, and not in a CI build. */
export function seesTree({ isTTY = false }: OutputStream, { env }: Pick<ProgramIo, 'env'>): boolean {
  const { CI = '', TERM = '' } = env;
  return isTTY && TERM !== 'dumb' && (CI === '' || CI === '0' || CI === 'false');
}

/** Joins lines to a text, each with a line end. */
export function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
