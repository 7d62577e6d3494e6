/**
 * Observation of a simulated run: what its stores have, who may write, and what processes do.
 *
 * It has its own account of leases and records, so it also notices a store that gives up a rule.
 *
 * @module
 */
import type { RunRecord } from '../../src/records.ts';
import type { Batch, Lease, PackedRecord } from '../../src/store.ts';
import type { WorkerCall } from './pipeline.ts';

/** One user of the store: a process that works on the run, or a person. */
export interface Client {
  readonly name: string;
  /** Milliseconds by which its clock is ahead when it examines leases. */
  readonly skew: number;
  isDead: boolean;
  /** The number of the last record that it has read or stored, by run. */
  readonly known: Map<string, number>;
  /** The lease that it believes to have, by run. Times are those of the wall clock. */
  readonly beliefs: Map<string, { readonly at: number; readonly ms: number }>;
}

/** The account of one simulation. */
export interface Watch {
  /** Rules that were broken, as sentences. */
  readonly problems: readonly string[];
  /** Calls of workers so far, in order. */
  readonly calls: readonly string[];
  note(problem: string): void;
  /** The number of records that all runs have. */
  stored(): number;
  appended(client: Client, batch: Batch, lease: Lease | undefined): void;
  /** @param now The time of the client that asks. */
  acquired(client: Client, lease: Lease, ms: number, now: number): void;
  /** A lease was refused. */
  refused(runId: string, now: number): void;
  renewed(client: Client, lease: Lease, ms: number, now: number): void;
  released(lease: Lease): void;
  /** A process shows a record. */
  published(client: Client, record: RunRecord): void;
  /** A process calls a worker. */
  began(client: Client, call: WorkerCall): void;
  /** A process has the result of a run. */
  ended(client: Client, runId: string, status: string): void;
  /** A person was told that the answer counts. */
  acknowledged(item: string, by: string): void;
  /** Problems that show when everything is over. @param records All records, by run. */
  atEnd(records: ReadonlyMap<string, readonly RunRecord[]>): void;
}

/** Creates a client that is alive. */
export function clientOf(name: string, skew = 0): Client {
  return { name, skew, isDead: false, known: new Map(), beliefs: new Map() };
}

export function createWatch(): Watch {
  const problems: string[] = [];
  const calls: string[] = [];
  const durable = new Map<string, PackedRecord[]>();
  const claims = new Map<string, Claim>();
  const shown: RunRecord[] = [];
  const tries = new Set<string>();
  const answers = new Map<string, string>();
  let count = 0;

  const note = (problem: string): void => void problems.push(problem);
  const recordsOf = (runId: string): readonly PackedRecord[] => durable.get(runId) ?? [];

  function requireHolder(client: Client, lease: Lease | undefined, runId: string, act: string): void {
    if (!lease || claims.get(runId)?.token !== lease.token)
      note(
        `${client.name} ${act} ${runId} without having its lease, which ${claims.get(runId)?.holder ?? 'nobody'} has`,
      );
  }

  return {
    problems,
    calls,
    note,
    stored: () => count,
    appended(client, { runId, records }, lease) {
      requireHolder(client, lease, runId, 'stored records of');
      const all = durable.get(runId) ?? [];
      durable.set(runId, all);
      for (const record of records) {
        if (record.seq !== all.length + 1)
          note(`${client.name} stored record ${record.seq} of ${runId} after ${all.length}`);
        all.push(record);
        count += 1;
      }
    },
    acquired(client, { runId, token }, ms, now) {
      const before = claims.get(runId);
      if (before && before.expiresAt > now)
        note(
          `${client.name} got the lease of ${runId} that ${before.holder} has for ${before.expiresAt - now} ms more`,
        );
      claims.set(runId, { holder: client.name, token, ms, expiresAt: now + ms });
    },
    refused(runId, now) {
      const claim = claims.get(runId);
      if (claim) claims.set(runId, { ...claim, expiresAt: Math.min(claim.expiresAt, now + claim.ms) });
    },
    renewed(client, lease, ms, now) {
      requireHolder(client, lease, lease.runId, 'renewed');
      const claim = claims.get(lease.runId);
      if (claim) claims.set(lease.runId, { ...claim, ms, expiresAt: now + ms });
    },
    released({ runId, token }) {
      if (claims.get(runId)?.token === token) claims.delete(runId);
    },
    published(client, record) {
      const stored = recordsOf(record.runId)[record.seq - 1];
      if (stored?.event.type !== record.event.type || stored.time !== record.time)
        note(
          `${client.name} showed record ${record.seq} of ${record.runId}, ${record.event.type}, which is not stored`,
        );
      shown.push(record);
    },
    began(client, call) {
      const { run, phase, worker, isReview, generation, attempt, key } = call;
      const name = `${worker} of ${phase} ${generation}.${attempt}, try ${call.try}`;
      calls.push(`${client.name} ${run} ${name}`);
      const all = recordsOf(run);
      // A phase that has sent back another one starts over with the same numbers.
      const isHere = ({ event }: PackedRecord) =>
        'attempt' in event && event.phase === phase && event.generation === generation && event.attempt === attempt;
      const begin = all.findLastIndex((record) => record.event.type === 'phase.started' && isHere(record));
      const here = all.slice(Math.max(0, begin)).filter(isHere);
      const isStarted = here.some(({ event }) =>
        isReview
          ? event.type === 'review.started'
          : event.type === 'task.started' && event.task === worker && event.try === call.try,
      );
      if (!isStarted) note(`${client.name} called ${name} before its start was stored`);
      const known = client.known.get(run) ?? 0;
      const isDone = here.some(
        ({ seq, event }) => seq <= known && !isReview && event.type === 'task.completed' && event.task === worker,
      );
      if (isDone) note(`${client.name} called ${name}, which it knew to be completed`);
      const once = `${client.name} ${key} ${call.try}`;
      if (!isReview && tries.has(once)) note(`${client.name} called ${name} twice`);
      tries.add(once);
      const { at = 0, ms = 0 } = client.beliefs.get(run) ?? {};
      const age = Date.now() - at;
      if (claims.get(run)?.holder !== client.name && (age < 0 || age >= ms))
        note(`${client.name} called ${name} ${age} ms after it has confirmed its lease for ${ms} ms, and has lost it`);
    },
    ended(client, runId, status) {
      const last = recordsOf(runId).at(-1)?.event;
      if (last?.type !== 'run.ended' || last.status !== status)
        note(`${client.name} says that ${runId} is ${status}, and its last record is ${last?.type}`);
    },
    acknowledged(item, by) {
      const other = answers.get(item);
      if (other !== undefined) note(`The answers of ${other} and ${by} to ${item} both count`);
      answers.set(item, by);
    },
    atEnd(records) {
      for (const record of shown) {
        const stored = records.get(record.runId)?.[record.seq - 1];
        if (JSON.stringify(stored) !== JSON.stringify(record))
          note(
            `Record ${record.seq} of ${record.runId} was shown as ${JSON.stringify(record)} and stored as ${JSON.stringify(stored)}`,
          );
      }
      for (const [item, by] of answers) {
        const [, runId = '', seq = '0'] = /^(.*):(\d+)$/u.exec(item) ?? [];
        const who = closedBy(records.get(runId) ?? [], Number(seq));
        if (who !== undefined && who !== by)
          note(`The answer of ${by} to ${item} was acknowledged, and that of ${who} counts`);
      }
    },
  };
}

// --- internal ---

/** A lease, as this account has it. */
interface Claim {
  readonly holder: string;
  readonly token: string;
  readonly ms: number;
  readonly expiresAt: number;
}

/** The person who has closed an item, from the records; `undefined` if nobody has. */
function closedBy(records: readonly RunRecord[], seq: number): string | undefined {
  const opened = records[seq - 1]?.event;
  if (!opened || !('phase' in opened)) return undefined;
  for (const { event } of records.slice(seq)) {
    if (!('phase' in event) || event.phase !== opened.phase) continue;
    if (opened.type === 'task.asked' && event.type === 'task.answered' && event.task === opened.task) return event.who;
    if (opened.type === 'phase.escalated' && event.type === 'review.decided') return event.who;
    if (event.type === 'phase.started') return undefined;
  }
  return undefined;
}
