/**
 * What the dashboard asks its server, and what it gets: types only, as both import them.
 *
 * ```text
 *   GET  /?token=…                       takes the token, sets the cookie, leads to /
 *   GET  /, /assets/…                    the app
 *   GET  /api/session                    Session
 *   GET  /api/changes                    events: `changed`, whenever a run or the inbox may be another; data: Change; with run=,
 *                                        what /records tells of that run, too, from its beginning or after=, also where it
 *                                        is not there yet
 *   GET  /api/open                       { open }: as in Change
 *   GET  /api/runs                       { runs: UiRun[] }, the latest started first; status= (standings, with commas),
 *                                        pipeline=, limit= (500 where absent)
 *   GET  /api/runs/:run                  UiRun
 *   GET  /api/runs/:run/records          events: `records`, data: RunRecord[], id: the number of the last; goes on after
 *                                        `Last-Event-ID`, or from=; `caught-up` once all that was there has been sent
 *   POST /api/runs/:run/resume|retry     Done
 *   POST /api/runs/:run/cancel           CancelRequest → Done
 *   POST /api/runs/:run/fork             ForkRequest → Forked
 *   GET  /api/inbox                      { items: UiItem[] }; all=1 with those that are closed, run= of one run
 *   GET  /api/inbox/:item                UiItemDetail
 *   POST /api/inbox/:item/answer         AnswerRequest → Answered
 *   GET  /api/troubles                   { troubles: UiTrouble[] }: what is wrong with the runs that go on
 *   GET  /api/artifacts/:hash            the JSON that records refer to
 *   GET  /api/charts                     Charts: the statecharts, from the machines themselves
 * ```
 *
 * Where the store cannot be read, the one stream sends `error`, and the other `unreadable`, data: Refusal, and goes on once it
 * can be. `gone`, data: { runId }, is the last that is told of a run, where it was removed. The data of `caught-up` is { seq },
 * the number of the last record that the reader has now; it comes again after `unreadable`.
 *
 * Where what was served for is over, the one stream says `closing`, data: {}, as the last thing: all that there is was told, and
 * the server ends once nobody asks it anything more.
 *
 * Whatever is refused is a {@link Refusal}, with a status that fits: 400 what makes no sense, 401 no cookie, 403 not allowed
 * from there or read-only, 404 what is not there, 409 what is stale, answered or held by another, 413 too long, 503 a store
 * that is busy, 500 all else.
 *
 * @module
 */
import type { Statechart } from '../../visualizations/statechart/statechart.ts';
import type { Alert } from '../projections/alerts/alert.ts';
import type { ItemDetail } from '../projections/inbox/item-detail.ts';
import type { Reply } from '../projections/inbox/reply.ts';
import type { RunInfo } from '../projections/run/run-info.ts';
import type { KeptItem } from '../store/pending-answers.ts';
import type { Standing } from '../store/run-status.ts';

/** Where the browser is. */
export interface Session {
  readonly version: string;
  /** The store, as whoever started the server named it. */
  readonly store: string;
  /** Whether nothing can be answered or changed. */
  readonly readOnly: boolean;
  /** In whose name answers are given. */
  readonly user: string;
  /** What else can be done with runs: it takes programs that whoever started the server may not have. */
  readonly actions: readonly RunAction[];
  /** Milliseconds since 1970, by the clock that times of records come from. */
  readonly now: number;
}

/** What can be done with a run, beside answering. */
export type RunAction = 'resume' | 'retry' | 'cancel' | 'fork';

/** What may have changed. The first of each connection, also of one that was made anew, says that anything may have. */
export interface Change {
  /** Runs whose rows are others than before, or that are new or gone; empty with the first. */
  readonly runs: readonly string[];
  /** How many items of the inbox are open and have no answer yet. */
  readonly open: number;
}

/** How a run stands. */
export type UiStanding = Standing;

/** A run in a list. */
export interface UiRun extends RunInfo {
  readonly standing: UiStanding;
  /** Who works on it. */
  readonly worker: string | null;
  /** Who works on it and has not answered for so long that its right to the run has ended. */
  readonly hung: string | null;
  /** Who worked on it and is gone without having given it back. */
  readonly gone: string | null;
  /** That it is being gone on with from here, and has no new record yet, or why that has failed; absent where there is neither. */
  readonly start?: UiStart | undefined;
  /** What can be done with it now. */
  readonly actions: readonly RunAction[];
}

/** What has become of having a run go on, where that takes long. */
export type UiStart = { readonly state: 'starting' } | { readonly state: 'failed'; readonly problem: Refusal['error'] };

/** An item, and whether somebody has answered it and no process has taken that yet. */
export type UiItem = KeptItem;

/** All about an item. Large outputs are references, as in records; how outputs differ is for whoever shows it to find. */
export interface UiItemDetail extends Omit<ItemDetail, 'item' | 'changes'> {
  readonly item: UiItem;
  /** How its run stands. */
  readonly run: UiRun;
}

/** Something that is wrong with a run that goes on. */
export interface UiTrouble extends Omit<Alert, 'code'> {
  /** What the records show, or that whoever works on the run does not answer or is gone, or that it was left. */
  readonly code: Alert['code'] | 'HUNG' | 'GONE' | 'LEFT';
  readonly runId: string;
  readonly pipeline: string;
}

/** An answer to an item, by whoever has seen it. */
export interface AnswerRequest {
  /** The item's: an answer to what was asked anew meanwhile is refused. */
  readonly nonce: string;
  readonly reply: Reply;
}

/** What has become of an answer. */
export interface Answered {
  /**
   * `taken`: the item is closed. `waiting`: whoever works on the run takes it. `resumed`: nobody worked on the run, and it goes
   * on now. `starting`: the same, but it takes long; the run tells what becomes of that. `kept`: nobody works on the run, and it is
   * taken when that goes on.
   */
  readonly state: 'taken' | 'waiting' | 'resumed' | 'starting' | 'kept';
  /** How it was closed, where it was taken. */
  readonly outcome?: string | undefined;
  /** Why the run could not be gone on with, where that was tried. */
  readonly problem?: Refusal['error'] | undefined;
}

/** Ends a run. */
export interface CancelRequest {
  readonly reason?: string | undefined;
}

/** Makes a new run that is left where another was. */
export interface ForkRequest {
  /** The number of the last record to copy, or the phase that is as if it had never started. */
  readonly at: number | { readonly phase: string };
  /** Whether it goes on at once. @default false */
  readonly run?: boolean | undefined;
}

/** A run that was made. */
export interface Forked {
  readonly runId: string;
  /** Why it could not be gone on with, where that was tried. */
  readonly problem?: Refusal['error'] | undefined;
}

/** The statecharts, as the machines that run have them. */
export interface Charts {
  readonly phase: Statechart;
  readonly pipeline: Statechart;
}

/** That it was done, as far as the server can tell. */
export interface Done {
  readonly run: UiRun;
}

/** Why something was not done. */
export interface Refusal {
  readonly error: {
    /** A code of docs/errors.md. */
    readonly code: string;
    readonly message: string;
    readonly hint?: string | undefined;
  };
}
