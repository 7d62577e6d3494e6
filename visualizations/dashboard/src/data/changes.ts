/**
 * When runs or the inbox may have changed: one stream for the whole app.
 *
 * @module
 */
import { createContext, useContext, useEffect, useState } from 'react';
import type { Change, Refusal } from '../../../../src/server/api.ts';
import { fromWire } from './wire.ts';

/** What is known of changes. */
export interface Changes {
  /** Grows with each; lists ask again. */
  readonly version: number;
  /** Items that are open and have no answer; `null` where it is not known yet. */
  readonly open: number | null;
  /** Whether the server can be heard. */
  readonly connected: boolean;
  /** What keeps the server from telling more, in its words. */
  readonly problem: string | null;
}

/** The changes of the app. */
export const ChangesContext = createContext<Changes>({ version: 0, open: null, connected: false, problem: null });

/** The changes of the app. */
export function useChanges(): Changes {
  return useContext(ChangesContext);
}

/** Listens, for the one component that does. */
export function useChangeStream(): Changes {
  const [changes, setChanges] = useState<Changes>({ version: 0, open: null, connected: true, problem: null });
  useEffect(() => {
    const source = new EventSource('/api/changes');
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
      const { open } = fromWire<Change>(data);
      setChanges(({ version }) => ({ version: version + 1, open, connected: true, problem: null }));
    });
    source.addEventListener('open', () => setChanges((before) => ({ ...before, connected: true })));
    source.addEventListener('error', (event) => {
      // The server's own word of what is wrong has data; a connection that is gone has none.
      const problem = event instanceof MessageEvent ? fromWire<Refusal>(String(event.data)).error.message : null;
      setChanges((before) => ({ ...before, connected: problem !== null, problem }));
    });
    return () => source.close();
  }, []);
  return changes;
}
