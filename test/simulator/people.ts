/**
 * People who look at the inbox of a simulated run. Two of them answer each item at about the same time.
 *
 * @module
 */
import { answerItem, type InboxItem } from '../../src/inbox.ts';
import { PhasegateError, type Run } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { faultyStore, type StoreWorld } from './faulty-store.ts';
import { replyTo } from './pipeline.ts';
import type { Scenario } from './scenario.ts';
import { clientOf } from './watch.ts';

/** The surroundings of people. */
export interface PeopleOptions {
  readonly scenario: Scenario;
  /** The store that never fails, in which they look. They answer in one that does. */
  readonly base: RunStore;
  readonly world: StoreWorld;
  /** The run of the latest process that is alive. */
  readonly run: () => Pick<Run, 'answer'> | undefined;
  readonly isOver: () => boolean;
  /** Notes what happened. */
  readonly say: (line: string) => void;
}

/** Lets people answer until all is over. */
export async function letPeopleAnswer(options: PeopleOptions): Promise<void> {
  const { base, world, isOver } = options;
  const { time } = world;
  const answering = new Set<string>();
  while (!isOver()) {
    await time.wait(LOOK_MS);
    for (const item of await base.inbox({ open: true })) {
      if (answering.has(item.id)) continue;
      answering.add(item.id);
      void answer(options, item).finally(() => answering.delete(item.id));
    }
  }
}

// --- internal ---

/** Milliseconds between looks at the inbox, and until a person who hears nothing tries again. */
const LOOK_MS = 1500;
const PATIENCE_MS = 40_000;

/** Reasons for which an answer may not count. A process that has lost its run may not know the item yet. */
const UNANSWERED: ReadonlySet<string> = new Set([
  'ANSWERED',
  'ITEM_UNKNOWN',
  'LEASE_LOST',
  'STORE_BUSY',
  'STORE_FAILED',
  'STORE_FULL',
]);

async function answer(options: PeopleOptions, item: InboxItem): Promise<void> {
  const { time } = options.world;
  const give = async (by: string, ms: number): Promise<void> => {
    await time.wait(ms);
    await Promise.race([post(options, item, by), time.wait(PATIENCE_MS)]);
  };
  await Promise.all([give('ada', 0), give('bob', (item.seq % 3) * 100)]);
  await time.wait(LOOK_MS);
}

async function post({ scenario, base, world, run, say }: PeopleOptions, item: InboxItem, by: string): Promise<void> {
  const reply = replyTo(scenario, item);
  const how = { nonce: item.nonce, by };
  const byStore = scenario.answers === 'store' || (scenario.answers === 'both' && by === 'ada');
  const live = byStore ? undefined : run();
  try {
    if (live) await live.answer(item.id, reply, how);
    else await answerItem(faultyStore(base, clientOf(by), world, false), item.id, reply, how);
    world.watch.acknowledged(item.id, by);
    say(`${by} has answered ${item.id}`);
  } catch (error) {
    const code = PhasegateError.is(error) ? error.code : String(error);
    say(`${by} is refused for ${item.id}: ${code}`);
    if (!UNANSWERED.has(code)) world.watch.note(`${by} cannot answer ${item.id}: ${String(error)}`);
  }
}
