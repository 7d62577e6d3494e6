/**
 * The listener of a store: one connection that gets notifications of changes, for as long as somebody watches.
 *
 * Notifications are hints, and may be missing. So the listener sends one to itself by another connection, now and then. A pooler that
 * gives each transaction another connection does not deliver it. Then callers are told that nothing comes, and look more often.
 *
 * @module
 */
import { newId } from '../../model/values/new-id.ts';
import type { StoreWatch } from '../port.ts';
import { rest } from '../waits.ts';
import type { ListeningClient } from './place.ts';

/** The listener of a store. */
export interface ChangeListener {
  /** Calls a function after each change, as far as it is notified. It is also called whenever changes may have been missed. */
  watch(onChange: () => void): StoreWatch;
  /** Gives up its connection for a while, as the server has none left. */
  yieldConnection(): void;
  close(): void;
}

/** Options of {@link createChangeListener}. */
export interface ChangeListenerOptions {
  /** Opens the connection. `undefined` if there is none to be had: then no notification comes. */
  readonly connect: () => Promise<ListeningClient | undefined>;
  readonly channel: string;
  /** Sends a notification with a payload, by another connection. */
  readonly notify: (payload: string) => Promise<unknown>;
}

/** Creates a listener. It connects when somebody watches. */
export function createChangeListener(options: ChangeListenerOptions): ChangeListener {
  const watchers = new Set<() => void>();
  let listening: Listening | undefined;

  function stopIfUnused(): void {
    if (watchers.size > 0) return;
    listening?.stop();
    listening = undefined;
  }

  return {
    watch(onChange) {
      // Two callers may pass the same function. One that throws keeps nothing from the others.
      const watcher = () => {
        try {
          onChange();
        } catch (error) {
          console.error('phasegate: a listener of watch() has thrown:', error);
        }
      };
      watchers.add(watcher);
      listening ??= startListening(options, () => {
        for (const tell of watchers) tell();
      });
      return {
        isLive: () => watchers.has(watcher) && listening?.isLive() === true,
        stop() {
          watchers.delete(watcher);
          stopIfUnused();
        },
      };
    },
    yieldConnection: () => listening?.drop(CROWDED_MS),
    close() {
      watchers.clear();
      stopIfUnused();
    },
  };
}

// --- internal ---

/** Milliseconds between notifications to itself, and the longest way of one. */
const CHECK_MS = 10_000;
const WAY_MS = 3000;

/** Milliseconds until another try: at first, and at most. */
const SHORTEST_MS = 1000;
const LONGEST_MS = 60_000;

/** Milliseconds for which the connection is left to others, if the server has too few. */
const CROWDED_MS = 30_000;

interface Listening {
  isLive(): boolean;
  /** Drops the connection, and does not connect for some time. */
  drop(ms: number): void;
  stop(): void;
}

/** Connects again and again, until it is stopped. */
function startListening(options: ChangeListenerOptions, call: () => void): Listening {
  const stopped = new AbortController();
  let live = false;
  let failures = 0;
  let pauseMs = 0;
  let end: (reason: Error) => void = () => undefined;

  async function repeat(): Promise<void> {
    while (!stopped.signal.aborted) {
      pauseMs = 0;
      await session().catch(() => undefined);
      if (stopped.signal.aborted) return;
      const wasLive = live;
      live = false;
      // Something may have changed since the connection was lost.
      if (wasLive) call();
      failures += 1;
      await rest(Math.max(pauseMs, Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (failures - 1))), stopped.signal);
    }
  }

  /** Listens until the connection is lost. @throws always */
  async function session(): Promise<void> {
    const client = await options.connect();
    // Another try would find no connection either.
    if (!client) return stop();
    let expected: { readonly payload: string; readonly arrive: () => void } | undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      end = reject;
      client.on('error', reject);
      client.on('end', () => reject(new Error('The connection has ended.')));
    });
    ended.catch(() => undefined);
    try {
      if (stopped.signal.aborted) return;
      client.on('notification', ({ channel, payload = '' }) => {
        if (channel !== options.channel) return;
        if (payload === '') call();
        else if (payload === expected?.payload) expected.arrive();
      });
      await Promise.race([client.query(`LISTEN "${options.channel}"`), ended, late()]);
      for (;;) {
        const payload = newId();
        const arrived = new Promise<void>((resolve) => (expected = { payload, arrive: resolve }));
        await Promise.race([options.notify(payload), ended]);
        await Promise.race([arrived, ended, late()]);
        failures = 0;
        // Until now, no notification came.
        if (!live) call();
        live = true;
        await Promise.race([rest(CHECK_MS, stopped.signal), ended]);
      }
    } finally {
      // A pooler keeps the connection, and gives it to others.
      if (!live) await Promise.race([client.query('UNLISTEN *').catch(() => undefined), rest(WAY_MS, stopped.signal)]);
      void client.end().catch(() => undefined);
    }
  }

  async function late(): Promise<never> {
    await rest(WAY_MS, stopped.signal);
    throw new Error('An answer or a notification did not arrive.');
  }

  function stop(): void {
    live = false;
    stopped.abort();
    end(new Error('Nobody watches.'));
  }

  void repeat();
  return {
    isLive: () => live,
    drop(ms) {
      pauseMs = ms;
      end(new Error('The server has too few connections.'));
    },
    stop,
  };
}
