/**
 * `phasegate show`.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { startSeal } from '../../model/events/seal.ts';
import { foldAttempts } from '../../projections/run/attempts.ts';
import type { RunSnapshot } from '../../projections/run/run-result.ts';
import { foldTimeline, type Timeline } from '../../projections/timeline/timeline.ts';
import { statusMarks } from '../../projections/wording/status-marks.ts';
import { rootOf } from '../../runtime/child-ids.ts';
import { withWaitsBelow } from '../../runtime/inbox/waits-below.ts';
import type { Work } from '../../store/lease-holder.ts';
import { withAnswers, type KeptItem } from '../../store/pending-answers.ts';
import type { ListedRun } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { standingOf } from '../../store/run-status.ts';
import { pagesOf } from '../../store/pages.ts';
import { givenText } from '../inbox/pending-answer.ts';
import { foldRunForTree, type RunFold } from '../live-tree/run-fold.ts';
import { frameLines } from '../live-tree/tree.ts';
import { timeText } from '../options/duration.ts';
import { childRunsOf } from '../options/child-runs.ts';
import { findRun } from '../options/find-run.ts';
import { withLiveness, workHere } from '../options/run-owner.ts';
import { openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { attemptLines, attemptsAsJson } from '../show/attempt-lines.ts';
import { openItems, resumeText } from '../show/next-steps.ts';
import { warningLines } from '../show/summary.ts';
import { timelineLines } from '../show/timeline-lines.ts';
import { errorText, withAddress } from '../terminal/error-text.ts';
import { createPainter, span, type Line } from '../terminal/line.ts';
import { glyph } from '../terminal/marks.ts';
import { print } from '../terminal/print.ts';
import { isPlaced, widthOf, type ProgramIo } from '../terminal/program-io.ts';
import { duration, manyLines, oneLine, reasonText } from '../terminal/text.ts';

/** Flags of `phasegate show`. */
export interface ShowFlags extends StoreFlags {
  readonly json?: boolean | undefined;
  /** True to draw the timeline instead of the status of phases and the attempts. */
  readonly timeline?: boolean | undefined;
}

/** Prints the status of a run and its attempts. */
export async function showStored(wanted: string, flags: ShowFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, 'read', io);
  const found = await findRun(opened, wanted);
  const [run = found] = (await withWaitsBelow(opened.store, [found])).map(withLiveness);
  const state = foldRunForTree();
  const story = foldAttempts();
  const fold = foldTimeline();
  const seal = startSeal();
  for await (const record of recordsOf(opened, run)) {
    seal.add(record);
    state.apply(record);
    story.apply(record);
    fold.apply(record);
  }
  for (const child of flags.json || flags.timeline ? [] : await childRunsOf(opened.store, run)) {
    for await (const record of recordsOf(opened, child)) state.apply(record);
  }
  const items = await withAnswers(opened.store, await openItems(opened, run.runId));
  const root = await rootOf(opened.store, run.runId);
  await opened.store.close();
  if (flags.json) {
    const { lease: _lease, lapsed: _lapsed, ...info } = run;
    const levels = [...state.levels().values()];
    const all = {
      ...state.snapshot(),
      ...(levels.length > 0 && { levels }),
      info,
      standing: standingOf(run),
      seal: run.damage === undefined ? seal.hex() : null,
      items,
      attempts: attemptsAsJson(story.attempts()),
    };
    const timed = flags.timeline ? { ...all, timeline: fold.timeline() } : all;
    return (await print(`${JSON.stringify(timed)}\n`, io)) ? exitCode.completed : exitCode.brokenPipe;
  }
  const snapshot = state.snapshot();
  const lines = [
    ...headLines(
      run,
      workHere(found),
      { ...snapshot, firstAt: state.startedAt, lastAt: state.lastAt, seal: seal.hex() },
      { ...opened, root },
    ),
    [],
    ...(flags.timeline ? timeline(fold.timeline(), state, run, io) : tree(state, run)),
    ...warningLines(snapshot),
    ...items.map(itemLine),
    ...(flags.timeline ? [] : attemptLines(story.attempts())),
  ];
  const paint = createPainter(seesColours(io.stdout, io));
  return (await print(asText(lines.map(paint)), io)) ? exitCode.completed : exitCode.brokenPipe;
}

// --- internal ---

/** Reads the records that a run has now. */
async function* recordsOf({ store }: OpenStore, { runId, seq }: ListedRun): AsyncGenerator<RunRecord> {
  for await (const page of pagesOf((from, limit) => readRun(store, runId, from, limit), { to: seq })) yield* page;
}

/** Columns of a timeline if the terminal does not report its width. */
const USUAL_COLUMNS = 80;
/** A size in which every phase is shown. Lines may wrap, as they are not redrawn. */
const SPACE = { columns: 2000, rows: 1_000_000 };

/** The state of a run, with the times of its first and last record; the first one of a fork is a copy. */
type ShownState = RunSnapshot & { readonly firstAt: number; readonly lastAt: number; readonly seal: string };

/** Describes a run. */
function headLines(
  run: ListedRun,
  work: Work,
  { reason, error, firstAt, lastAt, seal }: ShownState,
  opened: OpenStore & { readonly root: string },
): readonly Line[] {
  const { runId, status, pipeline, startedAt, seq, source, forkOf, lease, damage, tags = [] } = run;
  const standing = standingOf(run);
  const facts = [
    `started ${timeText(firstAt)}, last record ${seq} after ${duration(lastAt - firstAt)}`,
    ...(damage === undefined ? [`seal ${seal}`] : [`damaged: ${oneLine(damage)}`]),
    ...(tags.length === 0 ? [] : [`tags ${oneLine(tags.join(' '))}`]),
    ...(source === undefined ? [] : [`definition ${oneLine(source)}`]),
    ...(forkOf === undefined ? [] : [`fork of run ${oneLine(forkOf)}, made ${timeText(startedAt)}`]),
    ...workText(work),
    ...(status === 'running' && !lease ? [resumeText('resume', opened.root, opened, isPlaced(source))] : []),
  ];
  const why = error ? withAddress(errorText(error)) : reasonText(reason ?? '');
  return [
    [span(`run ${oneLine(runId)} of "${oneLine(pipeline)}"  `), span(standing, statusMarks[standing].tone)],
    ...facts.map((fact) => [span(`  ${fact}`, 'dim')]),
    ...(why === ''
      ? []
      : manyLines(why)
          .split('\n')
          .map((text) => [span(`  ${text}`, 'warn')])),
  ];
}

function workText(work: Work): readonly string[] {
  switch (work.state) {
    case 'worked':
      return [`${oneLine(work.lease.holder)} works on it`];
    case 'hung':
      return [`${oneLine(work.lease.holder)} works on it but does not answer`];
    case 'gone':
      return [`${oneLine(work.lease.holder)} worked on it and has ended`];
    case 'free':
      return [];
  }
}

function itemLine({ id, about, reason, answer }: KeptItem): Line {
  const how = answer ? givenText(answer) : `waits for a person: ${oneLine(reasonText(reason))}`;
  return [glyph('waiting', `${oneLine(about)} ${how}  (${oneLine(id)})`)];
}

/** Draws the timeline in the width of the terminal. Waits for people last until now, even if no process works on the run. */
function timeline(drawn: Timeline, state: RunFold, { lease }: ListedRun, { stdout }: ProgramIo): readonly Line[] {
  const { plan } = state;
  if (!plan) return [];
  const columns = widthOf(stdout) ?? USUAL_COLUMNS;
  const snapshot = state.snapshot();
  return timelineLines(drawn, {
    plan,
    snapshot,
    columns,
    now: Date.now(),
    workedUntil: lease ? Date.now() : state.lastAt,
  });
}

/** Draws the tree. Times end at the last record if no process works on the run. */
function tree(state: RunFold, { lease }: ListedRun): readonly Line[] {
  return frameLines(state, SPACE, lease ? Date.now() : state.lastAt);
}
