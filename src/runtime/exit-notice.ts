/**
 * Notice on stderr for a program that ends while runs wait for people.
 *
 * Node ends a program without a message when it has nothing else to do.
 *
 * @module
 */
import { cutList } from '../model/values/counts.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import { createRunInbox, type RunInbox, type RunInboxOptions } from './inbox/inbox.ts';

/**
 * Opens the inbox of a run. If the process runs out of work while the run waits for a person, a notice goes to stderr. A
 * browser gets no notice.
 */
export function openInbox(options: RunInboxOptions): RunInbox {
  const inbox = createRunInbox(options);
  const { runId } = options.log;
  const isStored = options.claim !== undefined;
  const key = {};
  return {
    ...inbox,
    update() {
      inbox.update();
      const items = inbox.open();
      if (items.length === 0) forget(key);
      else remember(key, { runId, isStored, items });
    },
    close() {
      forget(key);
      inbox.close();
    },
  };
}

// --- internal ---

/** A run that waits for a person. It has no reference to the run itself, so that an abandoned run can be garbage collected. */
interface Waiting {
  readonly runId: string;
  readonly isStored: boolean;
  readonly items: readonly InboxItem[];
}

/** Most open items that the notice lists for one run. */
const MOST_NAMED = 5;

const waiting = new Map<object, Waiting>();

function remember(key: object, run: Waiting): void {
  // Node emits `beforeExit` if nothing is left to do. It does not if the program calls process.exit() or is killed.
  if (waiting.size === 0) thisProcess()?.on?.('beforeExit', notify);
  waiting.set(key, run);
}

function forget(key: object): void {
  if (waiting.delete(key) && waiting.size === 0) thisProcess()?.off?.('beforeExit', notify);
}

function notify(): void {
  const runs = [...waiting.values()];
  // Writing to stderr may keep the process alive for a moment, after which Node emits `beforeExit` again.
  waiting.clear();
  thisProcess()?.off('beforeExit', notify);
  for (const run of runs) console.error(noticeOf(run));
}

function noticeOf({ runId, isStored, items }: Waiting): string {
  const named = cutList(items, MOST_NAMED, ({ id, kind, about }) => `${id}: ${kind} of ${JSON.stringify(about)}`);
  return [
    `phasegate: run ${runId} waits for a person, and this program ends as it has no other work. Open items:`,
    ...named.map((line) => `  ${line}`),
    isStored
      ? 'The run is in its store: answer with answerItem() or phasegate inbox, then resume it with resumeRun().'
      : 'The run is lost. Answer while the program runs, with run.decide() or run.answer(); or pass a `store`, so that the run can be resumed.',
  ].join('\n');
}

/** The Node process; `undefined` in a browser. */
function thisProcess(): NodeJS.Process | undefined {
  return (globalThis as { readonly process?: NodeJS.Process }).process;
}
