/**
 * Appends of all runs of a store: those that are ready at the end of a turn are stored together.
 *
 * A turn ends after the current synchronous work and its microtasks. A transaction costs one write to disk, whatever is in it.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Append, AppendFunction, RunStore } from '../../store/port.ts';
import { isStoreBusy } from '../../store/refusals.ts';
import { atEndOfTurn } from './end-of-turn.ts';

/** Appends batches to one store. */
export interface AppendQueue {
  /**
   * Appends a batch at the end of this turn.
   *
   * @param take Makes the batch then; `undefined` if there is nothing to store any more.
   * @returns Resolves once the batch is stored, and rejects with the error of `take` or of the store.
   */
  append(take: () => Append | undefined): Promise<void>;
}

/** Returns the queue of a patient store. All runs of this process share it. */
export function queueOf(store: RunStore): AppendQueue {
  const known = queues.get(store) ?? createQueue(store);
  queues.set(store, known);
  return known;
}

// --- internal ---

/** Most batches of one transaction. Other processes, and everything else in this one, wait for it. */
const MOST = 256;

const queues = new WeakMap<RunStore, AppendQueue>();

/** A run that waits for the end of the turn. */
interface Waiting {
  readonly take: () => Append | undefined;
  readonly resolve: (stored?: void | Promise<void>) => void;
  readonly reject: (error: unknown) => void;
}

/** A batch on its way. */
interface Ready extends Waiting {
  readonly append: Append;
}

function createQueue(store: RunStore): AppendQueue {
  let waiting: Waiting[] = [];

  function write(): void {
    const turn = waiting.slice(0, MOST);
    waiting = waiting.slice(MOST);
    if (waiting.length > 0) atEndOfTurn(write);
    const ready = turn.flatMap(prepared);
    const { all } = store.append;
    if (ready.length > 1 && all) void storeAll(store, all, ready);
    else storeEach(store, ready);
  }

  return {
    append: (take) =>
      new Promise((resolve, reject) => {
        waiting.push({ take, resolve, reject });
        if (waiting.length === 1) atEndOfTurn(write);
      }),
  };
}

function prepared(one: Waiting): readonly Ready[] {
  try {
    const append = one.take();
    if (append) return [{ ...one, append }];
    one.resolve();
  } catch (error) {
    one.reject(error);
  }
  return [];
}

function storeOne(store: RunStore, { append: { batch, lease }, resolve, reject }: Ready): void {
  try {
    resolve(store.append(batch, lease));
  } catch (error) {
    reject(error);
  }
}

function storeEach(store: RunStore, ready: readonly Ready[]): void {
  for (const one of ready) storeOne(store, one);
}

async function storeAll(
  store: RunStore,
  all: NonNullable<AppendFunction['all']>,
  ready: readonly Ready[],
): Promise<void> {
  let errors: readonly (PhasegateError | undefined)[] | undefined;
  try {
    errors = await all(ready.map(({ append }) => append));
  } catch {
    // One batch may be the cause, such as one that is too large. The others must not fail with it.
    storeEach(store, ready);
    return;
  }
  ready.forEach((one, index) => {
    const { resolve, reject } = one;
    if (errors.length !== ready.length) reject(unsettled(errors.length, ready.length));
    else if (errors[index] === undefined) resolve();
    else if (isStoreBusy(errors[index])) storeOne(store, one);
    else reject(errors[index]);
  });
}

function unsettled(count: number, wanted: number): PhasegateError {
  return new PhasegateError(
    'STORE_MISUSED',
    `Cannot tell which of ${wanted} batches are stored as the store returned ${count} outcomes`,
    {
      hint: 'append.all of a store returns one outcome for each batch: an error, or undefined.',
    },
  );
}
