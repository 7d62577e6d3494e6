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

/** Creates a reporter that redraws the tree. Output of the pipeline's code appears above the tree. */
export function createLiveReporter(io: ProgramIo): Reporter {
  const { stdout: stream, stderr, env } = io;
  const state = foldRunForTree();
  const paint = createPainter(seesColours(stream, io));
  const streams = [stream, ...(stderr.isTTY ? [stderr] : [])];
  const printed = new Map<OutputStream, string>();
  let captured: readonly CapturedWrites[] = [];
  let timer: NodeJS.Timeout | undefined;
  const pane = createPane(
    (text) => direct(() => stream.write(text)),
    () => sizeOf(stream),
    env,
  );

  /** Runs code that writes to the terminal itself. */
  function direct(code: () => void): void {
    const [first, second] = captured;
    const inner = second ? () => second.direct(code) : code;
    if (first) first.direct(inner);
    else inner();
  }

  /** @param share The part of the rows that the tree may take. */
  function draw(share = 1): void {
    const { columns, rows } = sizeOf(stream);
    // The cursor row and the last column stay empty: writing there makes terminals scroll or wrap.
    const size = { columns: columns - 1, rows: Math.floor((rows - 1) * share) };
    const lines = frameLines(state, size, Date.now());
    pane.draw(lines.map((line) => ({ text: plain(line), painted: paint(line) })));
  }

  /** Draws a frame and schedules the next one. Drawing takes at most a tenth of the time, however large the tree is. */
  function tick(): void {
    const before = performance.now();
    draw();
    timer = setTimeout(tick, Math.max(FRAME_MS, 10 * (performance.now() - before)));
  }

  /** Prints complete lines above the tree. An incomplete line waits for its end. */
  function print(to: OutputStream, text: string): void {
    const all = (printed.get(to) ?? '') + text;
    const end = all.lastIndexOf('\n') + 1;
    printed.set(to, all.slice(end));
    if (end === 0) return;
    pane.clear();
    direct(() => to.write(all.slice(0, end)));
    draw();
  }

  /** Prints the id of the run above the tree, where it stays: users find the run by it. */
  function name({ runId }: RunRecord): void {
    print(stream, `${plain(runLine(runId, state.plan))}\n`);
  }

  function resume(): void {
    if (timer !== undefined) return;
    captured = streams.map((one) => captureWrites(one, (text) => print(one, text)));
    stream.on('resize', redraw);
    tick();
  }

  function redraw(): void {
    draw();
  }

  /** @param finish Ends the pane. */
  function stop(finish: () => void): void {
    clearTimeout(timer);
    timer = undefined;
    stream.off('resize', redraw);
    finish();
    for (const one of captured) one.release();
    captured = [];
    for (const [to, rest] of printed) if (rest !== '') to.write(`${rest}\n`);
    printed.clear();
  }

  function pause(): void {
    stop(() => pane.close());
  }

  function leave(): void {
    if (timer === undefined) return;
    draw(SHARE_ABOVE);
    stop(() => pane.leave());
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
    child: (record) => state.apply(record),
    pause,
    leave,
    resume,
    end(result, notes, rest) {
      pause();
      const { columns, rows } = sizeOf(stream);
      write(endingLines({ state, result, notes, rest }, { columns: columns - 1, rows: rows - 1 }, Date.now()));
    },
  };
}

// --- internal ---

const FRAME_MS = 100;

/** The part of the rows that the tree takes above a question. */
const SHARE_ABOVE = 0.5;

/** Returns the size of a terminal; 80 × 24 if it does not report its size. */
function sizeOf({ columns = 0, rows = 0 }: OutputStream): Size {
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}
