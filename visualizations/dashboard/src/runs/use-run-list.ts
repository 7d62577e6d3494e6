/**
 * The list of all runs, kept up to date.
 *
 * @module
 */
import { useEffect, useRef, useState } from 'react';
import type { UiRun } from '../../../../src/server/api.ts';
import { ask, type Asked, refusedBy } from '../data/ask.ts';
import { type Changes, useChanges } from '../data/changes.ts';
import { joined, nextRead, type RunList, type RunsRead } from './run-list.ts';

/** Reads all runs once, and then those that change. It sends one request at a time. */
export function useRunList(): Asked<readonly UiRun[]> {
  const changes = useChanges();
  const latest = useRef(changes);
  const [asked, setAsked] = useState<Asked<readonly UiRun[]>>(() =>
    kept ? { state: 'there', value: kept.runs } : { state: 'loading' },
  );
  const wake = useRef<() => void>(() => undefined);
  useEffect(() => {
    latest.current = changes;
    wake.current();
  }, [changes]);
  useEffect(() => {
    const leave = new AbortController();
    const { signal } = leave;
    const keepReading = async () => {
      while (!signal.aborted) {
        // Changes during the request cause another one.
        const seen = latest.current;
        const result = await readOnce(seen, signal);
        if (signal.aborted) return;
        if (result) setAsked(result);
        await Promise.race([
          new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
          new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
        ]);
        if (seen.version === latest.current.version && !signal.aborted)
          await new Promise<void>((resolve) => (wake.current = resolve));
      }
    };
    void keepReading();
    return () => {
      leave.abort();
      wake.current();
    };
  }, []);
  return asked;
}

// --- internal ---

/** Milliseconds between two requests. */
const PAUSE_MS = 250;

/** The list of the page that was shown last. A page that is opened again reads what has changed since. */
let kept: RunList | undefined;

/** @returns `undefined` if nothing has changed. */
async function readOnce(changes: Changes, signal: AbortSignal): Promise<Asked<readonly UiRun[]> | undefined> {
  try {
    for (;;) {
      const next = nextRead(kept, kept ? changes.changedSince(kept.version) : null);
      if (!next) return undefined;
      const read = await ask<RunsRead>(next.path, signal);
      if (signal.aborted) return undefined;
      kept = joined(kept, next, read, changes.version);
      if (kept) return { state: 'there', value: kept.runs };
    }
  } catch (thrown) {
    return { state: 'refused', error: refusedBy(thrown), value: kept?.runs };
  }
}
