/**
 * The HTTP API between the dashboard and its server. It has types only, as both import it.
 *
 * ```text
 *   GET  /?token=…                       checks the token, sets the cookie, redirects to /
 *   GET  /, /assets/…                    the app
 *   GET  /api/session                    Session
 *   GET  /api/changes                    events: `changed`, after a change of a run or of the inbox; data: Change. With run=, also
 *                                        the events of /records for that run, from its beginning or after=; the run may
 *                                        not exist yet. With each= and after= for each of up to 32 runs, the same for all
 *                                        of them: the names of these events end with a space and the encoded id
 *   GET  /api/open                       { open }: as in Change
 *   GET  /api/runs                       { runs: UiRun[] }, the latest started first; status= (lifecycles, with commas),
 *                                        pipeline=, tag= (may be repeated), parent= (runs that its tasks have
 *                                        started), limit= (500 if absent). With id=, up to 100 times: these runs only.
 *                                        With newer= (ms since 1970) also those with a later record or a process, and
 *                                        { count } of all runs
 *   GET  /api/runs/:run                  UiRun
 *   GET  /api/runs/:run/records          events: `records`, data: RunRecord[], id: the number of the last; continues after
 *                                        `Last-Event-ID`, or at from=; `caught-up` after all present records were sent
 *   GET  /api/runs/:run/records/:seq/changes       UiChanges: the files of the commit that the output of the record names
 *   GET  /api/runs/:run/records/:seq/changes/file  UiFileChange: the change of one of them; path=, from= of a renamed one
 *   GET  /api/pipelines                  { pipelines: UiPipeline[] }: those of which the server starts runs
 *   POST /api/runs                       StartRequest → Started
 *   POST /api/runs/:run/resume|retry     Done
 *   POST /api/runs/:run/cancel           CancelRequest → Done
 *   POST /api/runs/:run/fork             ForkRequest → Forked
 *   GET  /api/inbox                      { items: UiItem[] }; all=1 with closed items, run= of one run
 *   GET  /api/inbox/:item                UiItemDetail
 *   POST /api/inbox/:item/answer         AnswerRequest → Answered
 *   GET  /api/troubles                   { troubles: UiAlert[] }: the alerts of running runs
 *   GET  /api/search                     SearchPart: records with a text: text=, run= of one run; afterRun= and afterSeq= of an
 *                                        earlier part go on
 *   GET  /api/artifacts/:hash            the JSON that records refer to
 *   GET  /api/charts                     Charts: the statecharts, generated from the machines
 * ```
 *
 * If the store cannot be read, /changes sends `error` and /records sends `unreadable`. The data of both is a {@link Refusal}.
 * Both continue when the store can be read again. `gone`, data: { runId }, is the last event about a run that was removed. The
 * data of `caught-up` is { seq }: the number of the last record that the reader has now. It is sent again after `unreadable`.
 *
 * If the server closes because its command is finished, /changes sends `closing`, data: {}, as its last event, after all pending
 * events. The server ends when no request is left.
 *
 * A refused request gets a {@link Refusal} with a matching status:
 *
 * - 400 invalid request
 * - 401 no cookie
 * - 403 origin not allowed, or read-only
 * - 404 not found
 * - 409 stale, already answered, or held by another process
 * - 413 body too long
 * - 503 store busy
 * - 500 anything else
 *
 * @module
 */
import type { Statechart } from '../../visualizations/statechart/statechart.ts';
import type { Alert } from '../projections/alerts/alert.ts';
import type { ItemDetail } from '../projections/inbox/item-detail.ts';
import type { ItemSequel } from '../projections/inbox/item-sequel.ts';
import type { Reply } from '../projections/inbox/reply.ts';
import type { RunInfo } from '../projections/run/run-info.ts';
import type { KeptItem } from '../store/pending-answers.ts';
import type { Standing } from '../store/run-status.ts';
import type { Difference, DifferenceFile } from '../workspaces/port.ts';
import type { UserAction } from './http/access.ts';
import type { Refusal } from './http/refusal.ts';

export type { InputField, Started, StartRequest, UiPipeline } from './api-start.ts';
export type { Refusal } from './http/refusal.ts';

/** The server that the browser is connected to. */
export interface Session {
  readonly version: string;
  /** The name of the store, as given to the server. */
  readonly store: string;
  /** True if the dashboard refuses all answers and changes of this user. */
  readonly readOnly: boolean;
  /** The user name that answers are recorded with. */
  readonly user: string;
  /** The actions that this server offers to the user. All but cancel need pipelines. */
  readonly actions: readonly UserAction[];
  /** The server's clock, in milliseconds since 1970. Records have their times from a clock like it. */
  readonly now: number;
}

/** An action on a run, other than an answer. */
export type RunAction = Exclude<UserAction, 'start'>;

/** A change of runs or of the inbox. The first one of each connection means that anything may have changed. */
export interface Change {
  /** Ids of runs that are new, changed or removed. It is empty in the first change of a connection. */
  readonly runs: readonly string[];
  /** The number of open inbox items without an answer. */
  readonly open: number;
}

/** The lifecycle of a run. */
export type UiStanding = Standing;

/** A run in a list. */
export interface UiRun extends RunInfo {
  /** The run whose task has started it. */
  readonly parent?: string | undefined;
  /** Ids of the runs below it that wait for a person. Absent if there is none. */
  readonly waitsIn?: readonly string[] | undefined;
  readonly standing: UiStanding;
  /** The process that works on the run. */
  readonly worker: string | null;
  /** The process that works on the run, if it did not renew its lease in time. */
  readonly hung: string | null;
  /** The process that worked on the run, if it ended without releasing the run. */
  readonly gone: string | null;
  /** The damage of its row in the store, as a sentence. Absent if there is none. */
  readonly damage?: string | undefined;
  /** The state of a pending start from this dashboard. It is absent if there is none, or if the run has new records since. */
  readonly start?: UiStart | undefined;
  /** The actions that are possible now. */
  readonly actions: readonly RunAction[];
}

/** The state of a start that takes long: pending, or failed. */
export type UiStart = { readonly state: 'starting' } | { readonly state: 'failed'; readonly problem: Refusal['error'] };

/** An inbox item, and the answer to it that no process has taken yet. */
export type UiItem = KeptItem;

/** An inbox item in full. Large outputs are references, as in records. The reader computes how outputs differ. */
export interface UiItemDetail extends Omit<ItemDetail, 'item' | 'changes'> {
  readonly item: UiItem;
  /** The run of the item. */
  readonly run: UiRun;
  /** True if the user may answer it. */
  readonly mayAnswer: boolean;
  /** The effect of its answer on the run, as of now; absent while it is open. */
  readonly sequel?: ItemSequel | undefined;
}

/** An alert about a running run. */
export interface UiAlert extends Omit<Alert, 'code'> {
  /**
   * A code from the records; `HUNG`, `GONE`, `LEFT` or `QUEUED` for the process that should work on the run; `DAMAGED` if its records
   * cannot be read.
   */
  readonly code: Alert['code'] | 'HUNG' | 'GONE' | 'LEFT' | 'QUEUED' | 'DAMAGED';
  readonly runId: string;
  readonly pipeline: string;
}

/** An answer to an inbox item. */
export interface AnswerRequest {
  /** The nonce of the item that the user saw. The server refuses the answer if the item was asked again since. */
  readonly nonce: string;
  readonly reply: Reply;
}

/** The result of an answer. */
export interface Answered {
  /**
   * - `taken`: the item is closed.
   * - `waiting`: the process that works on the run is going to take the answer.
   * - `resumed`: no process worked on the run, and the server has resumed it.
   * - `starting`: the server is resuming the run, but that takes long. `start` of the run tells the result.
   * - `kept`: no process works on the run. The next one takes the answer.
   */
  readonly state: 'taken' | 'waiting' | 'resumed' | 'starting' | 'kept';
  /** The outcome of the item, if its state is `taken`. */
  readonly outcome?: string | undefined;
  /** The reason why the server could not resume the run, if it tried. */
  readonly problem?: Refusal['error'] | undefined;
}

/** The changes of an agent, or of a whole level of a fleet, in the repository. */
export interface UiChanges {
  /** The id of the commit. */
  readonly commit: string;
  /** Changed files: the first 1000 at most. If there is a problem, those of the record, which has names only. */
  readonly files: readonly UiChangedFile[];
  /** The number of changed files, if known. */
  readonly fileCount?: number | undefined;
  /** The reason why the commit cannot be read. */
  readonly problem?: Refusal['error'] | undefined;
}

/** A changed file. */
export interface UiChangedFile extends Pick<DifferenceFile, 'path'>, Partial<Omit<DifferenceFile, 'path'>> {
  /** True if the plan does not expect this file to change. */
  readonly isUnexpected: boolean;
}

/** The change of one file: a unified diff of at most 512 KiB. */
export type UiFileChange = Pick<Difference, 'text' | 'isCut'>;

/** A request to cancel a run. */
export interface CancelRequest {
  readonly reason?: string | undefined;
}

/** A request to copy a run up to a point into a new run. */
export interface ForkRequest {
  /** The number of the last record to copy; or a phase, to copy all that precedes its first start. */
  readonly at: number | { readonly phase: string };
  /** True to resume the new run at once. @default false */
  readonly run?: boolean | undefined;
}

/** The run that a fork has made. */
export interface Forked {
  readonly runId: string;
  /** The reason why the server could not resume the new run, if it was asked to. */
  readonly problem?: Refusal['error'] | undefined;
}

/** The statecharts of the machines that execute runs. */
export interface Charts {
  readonly phase: Statechart;
  /** The life of a phase over its generations, as the run that it belongs to keeps it. */
  readonly lifecycle: Statechart;
  readonly pipeline: Statechart;
}

/** The run after an action. */
export interface Done {
  readonly run: UiRun;
}
