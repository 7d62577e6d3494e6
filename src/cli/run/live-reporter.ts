/**
 * The live tree on a terminal.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { endingLines } from '../live-tree/final-screen.ts';
import { foldRunForTree } from '../live-tree/run-fold.ts';
import { frameLines, type Size } from '../live-tree/tree.ts';
import { runLine } from '../show/summary.ts';
import { captureWrites, type CapturedWrites } from '../terminal/capture-writes.ts';
import { createPainter, plain, type Line } from '../terminal/line.ts';
import { createPane } from '../terminal/pane.ts';
import type { OutputStream, ProgramIo } from '../terminal/program-io.ts';
import { asText, seesColours, type Reporter } from './reporter.ts';

/** Draws the tree again and again. What the code of the pipeline prints appears above it. */
export function createLiveReporter(io: ProgramIo): Reporter {
  const { stdout: stream, stderr, env } = io;
  const state = foldRunForTree();
  const paint = createPainter(seesColours(stream, io));
  const streams = [stream, ...(stderr.isTTY ? [stderr] : [])];
  const printed = new Map<OutputStream, string>();
  let diverted: readonly CapturedWrites[] = [];
  let timer: NodeJS.Timeout | undefined;
  const pane = createPane(
    (text) => direct(() => stream.write(text)),
    () => sizeOf(stream),
    env,
  );

  /** Runs code that writes to the terminal itself. */
  function direct(code: () => void): void {
    const [first, second] = diverted;
    const inner = second ? () => second.direct(code) : code;
    if (first) first.direct(inner);
    else inner();
  }

  function draw(): void {
    const { columns, rows } = sizeOf(stream);
    // The row of the cursor and the last column stay free: terminals scroll or wrap when they are written to.
    const lines = frameLines(state, { columns: columns - 1, rows: rows - 1 }, Date.now());
    pane.draw(lines.map((line) => ({ text: plain(line), painted: paint(line) })));
  }

  /** Frames take at most a tenth of the time, however large the tree is. */
  function tick(): void {
    const before = performance.now();
    draw();
    timer = setTimeout(tick, Math.max(FRAME_MS, 10 * (performance.now() - before)));
  }

  /** Whole lines go above the tree at once; the rest of a line waits for its end. */
  function print(to: OutputStream, text: string): void {
    const all = (printed.get(to) ?? '') + text;
    const end = all.lastIndexOf('\n') + 1;
    printed.set(to, all.slice(end));
    if (end === 0) return;
    pane.clear();
    direct(() => to.write(all.slice(0, end)));
    draw();
  }

  /** The id comes first and stays, as it is what the run is found by. */
  function name({ runId }: RunRecord): void {
    print(stream, `${plain(runLine(runId, state.plan))}\n`);
  }

  function resume(): void {
    if (timer !== undefined) return;
    diverted = streams.map((one) => captureWrites(one, (text) => print(one, text)));
    stream.on('resize', draw);
    tick();
  }

  function pause(): void {
    clearTimeout(timer);
    timer = undefined;
    stream.off('resize', draw);
    pane.close();
    for (const one of diverted) one.release();
    diverted = [];
    for (const [to, rest] of printed) if (rest !== '') to.write(`${rest}\n`);
    printed.clear();
  }

  function write(lines: readonly Line[]): void {
    stream.write(asText(lines.map(paint)));
  }

  resume();
  return {
    show(record) {
      state.apply(record);
      if (record.event.type === 'run.started' || record.event.type === 'run.resumed') name(record);
    },
    recall: (record) => state.apply(record),
    pause,
    resume,
    end(result, notes, rest) {
      pause();
      const { columns, rows } = sizeOf(stream);
      write(endingLines({ board: state, result, notes, rest }, { columns: columns - 1, rows: rows - 1 }, Date.now()));
    },
  };
}

// --- internal ---

const FRAME_MS = 100;

/** Terminals that do not know their size say 0 or nothing. */
function sizeOf({ columns = 0, rows = 0 }: OutputStream): Size {
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}
