/**
 * The alerts of running runs.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../model/errors/phasegate-error.ts';
import { foldAlerts, type AlertsFold } from '../projections/alerts/alerts.ts';
import { withWaitsIn } from '../runtime/inbox/waits-below.ts';
import { damageHint, sentenceOf } from '../store/damage.ts';
import { workOn, type Work } from '../store/lease-holder.ts';
import type { ListedRun } from '../store/port.ts';
import { readPlans } from '../store/read-run.ts';
import { standingOf } from '../store/run-status.ts';
import type { UiAlert } from './api.ts';
import type { ServerContext } from './server-context.ts';

/** Reads the alerts of all running runs. */
export interface AlertStream {
  /** Reads the present alerts, run by run, the latest started first. It never reads runs that have ended. */
  current(): Promise<readonly UiAlert[]>;
}

/** Creates an alert stream. It reads each record once, and holds the state of each run until the run ends. */
export function createAlertStream(context: ServerContext): AlertStream {
  const { store } = context;
  const followed = new Map<string, Followed>();
  let latest: Promise<unknown> = Promise.resolve();

  /** Applies the records that are new since the last call. */
  async function follow({ runId, seq }: ListedRun): Promise<AlertsFold> {
    const known = followed.get(runId);
    // A store that was restored from a backup may have another run with this id.
    const one = known && known.seq <= seq ? known : { fold: foldAlerts(), seq: 0 };
    followed.set(runId, one);
    while (one.seq < seq) {
      const records = await readPlans(store, runId, one.seq + 1, PAGE_SIZE);
      if (records.length === 0) break;
      for (const record of records) one.fold.apply(record);
      one.seq += records.length;
      // The first poll may read all records of many runs. This lets the server handle other requests meanwhile.
      await setImmediate();
    }
    return one.fold;
  }

  async function poll(): Promise<readonly UiAlert[]> {
    const runs = withWaitsIn(await store.runs({ status: ['running'] }));
    const ids = new Set(runs.map(({ runId }) => runId));
    for (const runId of followed.keys()) if (!ids.has(runId)) followed.delete(runId);
    const found: UiAlert[] = [];
    for (const listed of runs) {
      const { runId, pipeline } = listed;
      const work = workOn(listed, context.isAlive);
      const shown = [...processAlerts(listed, work), ...(await recordAlerts(listed, work))];
      found.push(...shown.map((one): UiAlert => ({ ...one, runId, pipeline })));
    }
    return found;
  }

  /** Damage of one run is its alert, and hides none of the others. */
  async function recordAlerts(listed: ListedRun, work: Work): Promise<readonly OwnAlert[]> {
    try {
      const fold = await follow(listed);
      const [now, isWorkedOn] = [Date.now(), work.state === 'worked'];
      const inRecords = fold.alerts(now, isWorkedOn ? now : Math.min(now, listed.updatedAt));
      // A run without a process writes no records, so its silence is no alert.
      return isWorkedOn ? inRecords : inRecords.filter(({ code }) => code !== 'SILENT');
    } catch (error) {
      if (!hasCode(error, 'STORE_UNREADABLE')) throw error;
      const { seq, updatedAt: since } = listed;
      const [found, advice] = [sentenceOf(error), error.hint ?? damageHint(listed.runId)];
      return [{ code: 'DAMAGED', severity: 'problem', phase: null, seq, since, found, advice }];
    }
  }

  return {
    current() {
      // One poll at a time: two at once would apply the same records twice.
      const next = latest.then(poll, poll);
      latest = next;
      return next;
    },
  };
}

// --- internal ---

/** Records in one read. */
const PAGE_SIZE = 500;

/** An alert without its run. */
type OwnAlert = Omit<UiAlert, 'runId' | 'pipeline'>;

interface Followed {
  readonly fold: AlertsFold;
  /** The number of the last record that was applied. */
  seq: number;
}

const QUEUED_ADVICE = 'Start a worker for its pipeline, or resume it here.';

/** The dashboard cannot act on such a run before its process continues or ends. */
const HUNG_ADVICE =
  'The process was suspended, or a handler blocks its event loop. Wait until it continues, or end it. Then resume the run.';

/** Alerts about the process of a run: it hangs, it is gone, or there is none. A run that waits for a person needs no process. */
function processAlerts(listed: ListedRun, work: Work): readonly OwnAlert[] {
  const { seq, updatedAt, waiting } = listed;
  const about = { phase: null, seq, since: updatedAt };
  switch (work.state) {
    case 'worked':
      return [];
    case 'hung': {
      const found = `${work.lease.holder} works on the run, but does not respond`;
      return [{ ...about, code: 'HUNG', severity: 'problem', found, advice: HUNG_ADVICE }];
    }
    case 'gone': {
      const found = `${work.lease.holder} worked on the run, and ended without releasing it`;
      return [
        { ...about, code: 'GONE', severity: 'problem', found, advice: 'Resume it. Approved phases stay approved.' },
      ];
    }
    case 'free': {
      if (waiting.length > 0) return [];
      if (standingOf(listed) === 'queued') {
        const found = 'No worker has taken the run yet';
        return [{ ...about, code: 'QUEUED', severity: 'notice', found, advice: QUEUED_ADVICE }];
      }
      const found = 'No process works on the run';
      return [
        { ...about, code: 'LEFT', severity: 'notice', found, advice: 'Resume it. Approved phases stay approved.' },
      ];
    }
  }
}
