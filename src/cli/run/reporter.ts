/**
 * How a run is shown while it goes on. Which way depends on who reads.
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
  /** Takes note of a record that is nothing new. */
  recall(record: RunRecord): void;
  /**
   * Shows how it ended. No record follows.
   *
   * @param notes What else is to be said.
   * @param rest What shows all of the run, where there is no room for it.
   */
  end(result: RunResult<unknown>, notes: readonly Line[], rest: string): void;
  /** Makes room for a question, and goes on when it is answered. */
  pause(): void;
  resume(): void;
}

/** Records as JSON lines on standard output, and nothing else there: what a pipeline prints goes to standard error. */
export function createJsonReporter(io: ProgramIo): Reporter {
  const out = captureWrites(io.stdout, (text) => io.stderr.write(text));
  return {
    show: (record) => out.write(`${JSON.stringify(record)}\n`),
    recall: () => undefined,
    end(result, notes) {
      out.release();
      const paint = createPainter(seesColours(io.stderr, io));
      io.stderr.write(asText([...summaryLines(result, undefined), ...notes].map(paint)));
    },
    pause: () => undefined,
    resume: () => undefined,
  };
}

/** A plain line for each event. */
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
    end: (result, notes) => io.stdout.write(asText([...summaryLines(result, state.plan), ...notes].map(paint))),
    pause: () => undefined,
    resume: () => undefined,
  };
}

/**
 * Whether colours are wanted: `FORCE_COLOR` says so (0 and false say no), else `NO_COLOR` and dumb terminals say no, else a terminal has
 * them.
 */
export function seesColours({ isTTY = false }: OutputStream, { env }: Pick<ProgramIo, 'env'>): boolean {
  const { FORCE_COLOR, NO_COLOR = '', TERM = '' } = env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY && NO_COLOR === '' && TERM !== 'dumb';
}

/** Whether a tree is drawn anew as a run goes on: on a terminal that can, and not for the log of a build. */
export function seesTree({ isTTY = false }: OutputStream, { env }: Pick<ProgramIo, 'env'>): boolean {
  const { CI = '', TERM = '' } = env;
  return isTTY && TERM !== 'dumb' && (CI === '' || CI === '0' || CI === 'false');
}

/** Lines as text that ends with a line end. */
export function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
