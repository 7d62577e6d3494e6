/**
 * Programs that end while runs wait for people: Node ends one that has nothing else to do, without a word.
 *
 * @module
 */
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import { createRunInbox, type RunInbox, type RunInboxOptions } from './inbox/inbox.ts';

/**
 * Opens the reception of a run. The process says on stderr that the run waits for a person, if it ends as it has nothing else to do.
 * Nothing is said in a browser.
 */
export function openReception(options: RunInboxOptions): RunInbox {
  const inbox = createRunInbox(options);
  const { runId } = options.log;
  const isKept = options.claim !== undefined;
  const key = {};
  return {
    ...inbox,
    update() {
      inbox.update();
      const items = inbox.open();
      if (items.length === 0) forget(key);
      else remember(key, { runId, isKept, items });
    },
    close() {
      forget(key);
      inbox.close();
    },
  };
}

// --- internal ---

/** A run that waits. It has no way to the run, as one that is waited for no more would be kept in memory by it. */
interface Waiting {
  readonly runId: string;
  readonly isKept: boolean;
  readonly items: readonly InboxItem[];
}

/** Items that are named of a run. */
const MOST_NAMED = 5;

const waiting = new Map<object, Waiting>();

function remember(key: object, run: Waiting): void {
  // Node says so when nothing is left to wait for. It says nothing where a program calls process.exit() or is ended.
  if (waiting.size === 0) thisProcess()?.on?.('beforeExit', tell);
  waiting.set(key, run);
}

function forget(key: object): void {
  if (waiting.delete(key) && waiting.size === 0) thisProcess()?.off?.('beforeExit', tell);
}

function tell(): void {
  const runs = [...waiting.values()];
  // What is written below may keep the process for a moment, and it ends again.
  waiting.clear();
  thisProcess()?.off('beforeExit', tell);
  for (const run of runs) console.error(noticeOf(run));
}

function noticeOf({ runId, isKept, items }: Waiting): string {
  const more = items.length > MOST_NAMED ? [`  and ${items.length - MOST_NAMED} more`] : [];
  return [
    `phasegate: run ${runId} waits for a person, and this program ends as it has nothing else to do. Open items:`,
    ...items.slice(0, MOST_NAMED).map(({ id, kind, about }) => `  ${id}: ${kind} of ${JSON.stringify(about)}`),
    ...more,
    isKept
      ? 'The run is in its store: answer with answerItem() or phasegate inbox, and go on with resumeRun().'
      : 'The run is lost. Answer it while the program runs, by run.decide() or run.answer(); or give it a `store`, where it can be resumed.',
  ].join('\n');
}

/** The process, or nothing in a browser. */
function thisProcess(): NodeJS.Process | undefined {
  return (globalThis as { readonly process?: NodeJS.Process }).process;
}
