/**
 * What is wrong with the runs that go on.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import { foldAlerts, type AlertsFold } from '../projections/alerts/alerts.ts';
import { workOn, type Work } from '../store/lease-holder.ts';
import type { ListedRun } from '../store/port.ts';
import type { UiTrouble } from './api.ts';
import type { ServerContext } from './server-context.ts';

/** Knows what is wrong. */
export interface AlertStream {
  /** What is wrong now, run by run, the latest started first. Runs that have ended are never read. */
  tell(): Promise<readonly UiTrouble[]>;
}

/** Makes a teller that reads each record once: what it has read of a run is kept as long as the run goes on. */
export function createAlertStream(context: ServerContext): AlertStream {
  const { store } = context;
  const followed = new Map<string, Followed>();
  let latest: Promise<unknown> = Promise.resolve();

  /** What is new since the last time. */
  async function follow({ runId, seq }: ListedRun): Promise<AlertsFold> {
    const known = followed.get(runId);
    // A store that was set back has another run of that id.
    const one = known && known.seq <= seq ? known : { fold: foldAlerts(), seq: 0 };
    followed.set(runId, one);
    while (one.seq < seq) {
      const records = await store.read(runId, one.seq + 1, AT_ONCE);
      if (records.length === 0) break;
      for (const record of records) one.fold.apply(record);
      one.seq += records.length;
      // The first look reads all of many runs: others are served meanwhile.
      await setImmediate();
    }
    return one.fold;
  }

  async function look(): Promise<readonly UiTrouble[]> {
    const runs = await store.runs({ status: ['running'] });
    const ids = new Set(runs.map(({ runId }) => runId));
    for (const runId of followed.keys()) if (!ids.has(runId)) followed.delete(runId);
    const found: UiTrouble[] = [];
    for (const listed of runs) {
      const { runId, pipeline } = listed;
      const work = workOn(listed, context.isAlive);
      const fold = await follow(listed);
      const [now, isWorkedOn] = [Date.now(), work.state === 'worked'];
      const inRecords = fold.alerts(now, isWorkedOn ? now : Math.min(now, listed.updatedAt));
      // Where nobody works, nothing can be expected to be said.
      const told = isWorkedOn ? inRecords : inRecords.filter(({ code }) => code !== 'SILENT');
      found.push(...[...left(listed, work), ...told].map((one): UiTrouble => ({ ...one, runId, pipeline })));
    }
    return found;
  }

  return {
    tell() {
      // One after the other: two that read the same records would tell them twice to a fold.
      const next = latest.then(look, look);
      latest = next;
      return next;
    },
  };
}

// --- internal ---

/** Records that are read at once. */
const AT_ONCE = 500;

interface Followed {
  readonly fold: AlertsFold;
  /** The last record that it was told. */
  seq: number;
}

/** Nothing can be done with the run from here before. */
const HUNG_ADVICE =
  'It was stopped, or a handler holds up its event loop. Wait until it goes on, or end it: then the run can be resumed.';

/** A run that nobody works on, or who does not answer. One that waits for a person is left on purpose. */
function left({ seq, updatedAt, waiting }: ListedRun, work: Work): readonly Omit<UiTrouble, 'runId' | 'pipeline'>[] {
  const about = { phase: null, seq, since: updatedAt };
  switch (work.state) {
    case 'worked':
      return [];
    case 'hung': {
      const found = `${work.lease.holder} lives and does not answer`;
      return [{ ...about, code: 'HUNG', severity: 'problem', found, advice: HUNG_ADVICE }];
    }
    case 'gone': {
      const found = `${work.lease.holder} worked on it and is gone without having given it back`;
      return [{ ...about, code: 'GONE', severity: 'problem', found, advice: 'Resume it: what is approved stays.' }];
    }
    case 'free': {
      const found = 'Nobody works on it';
      if (waiting.length > 0) return [];
      return [{ ...about, code: 'LEFT', severity: 'notice', found, advice: 'Resume it: what is approved stays.' }];
    }
  }
}
