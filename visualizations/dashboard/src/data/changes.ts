/**
 * When runs or the inbox may have changed, as long as the page can be seen.
 *
 * @module
 */
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { Change, Refusal } from '../../../../src/server/api.ts';
import { ask } from './ask.ts';
import { feed } from './feed.ts';
import { bySight } from './page-visibility.ts';
import type { Hearing } from './stream.ts';
import { fromWire } from './json-protocol.ts';

/** What is known of changes. */
export interface Changes {
  /** Grows with each; lists ask again. */
  readonly version: number;
  /** The same for one run: grows where it may be another. */
  readonly versionOf: (run: string) => number;
  /** Items that are open and have no answer; `null` where it is not known yet. */
  readonly open: number | null;
  /** Whether the server can be heard. */
  readonly connected: boolean;
  /** Whether it has said that what it was served for is over, so that it ends. */
  readonly isOver: boolean;
  /** How often it could not be heard, so far. */
  readonly cuts: number;
  /** What keeps the server from telling more, in its words. */
  readonly problem: string | null;
}

/** The changes of the app. */
export const ChangesContext = createContext<Changes>({
  version: 0,
  versionOf: () => 0,
  open: null,
  connected: false,
  isOver: false,
  cuts: 0,
  problem: null,
});

/** The changes of the app. */
export function useChanges(): Changes {
  return useContext(ChangesContext);
}

/** Listens, for the one component that does. A page that cannot be seen asks now and then how many items wait, for its title. */
export function useChangeStream(): Changes {
  const [changes, setChanges] = useState<Heard>(SILENCE);
  useEffect(() => {
    const hearing: Hearing = {
      changed({ data }) {
        const change = fromWire<Change>(data);
        setChanges((before) => heard(before, change));
      },
      closing: () => setChanges((before) => ({ ...before, isOver: true })),
      open: () => setChanges((before) => ({ ...before, connected: true, isOver: false })),
      error(event) {
        // The server's own word of what is wrong has data; a connection that is gone has none.
        const problem = event instanceof MessageEvent ? fromWire<Refusal>(String(event.data)).error.message : null;
        setChanges((before) => ({ ...before, connected: problem !== null, problem, cuts: before.cuts + 1 }));
      },
    };
    return bySight(
      () => feed.hear(hearing),
      () => countOpen((open) => setChanges((before) => ({ ...before, open }))),
    );
  }, []);
  return useMemo(() => told(changes), [changes]);
}

// --- internal ---

/** Milliseconds between two looks at how many items are open. */
const COUNT_MS = 15_000;

/** @returns Ends it. */
function countOpen(tell: (open: number) => void): () => void {
  const leave = new AbortController();
  const count = () => {
    // Where nobody answers, that is told once the page can be seen.
    ask<Pick<Change, 'open'>>('/api/open', leave.signal).then(
      ({ open }) => leave.signal.aborted || tell(open),
      () => undefined,
    );
  };
  count();
  const timer = setInterval(count, COUNT_MS);
  return () => {
    clearInterval(timer);
    leave.abort();
  };
}

interface Heard extends Omit<Changes, 'versionOf'> {
  /** The version with which each run has changed last. */
  readonly runs: ReadonlyMap<string, number>;
  /** The version since which every change was heard. */
  readonly since: number;
}

const SILENCE: Heard = {
  version: 0,
  open: null,
  connected: true,
  isOver: false,
  cuts: 0,
  problem: null,
  runs: new Map(),
  since: 0,
};

function heard(before: Heard, { runs, open }: Change): Heard {
  const version = before.version + 1;
  const common = { version, open, connected: true, isOver: before.isOver, cuts: before.cuts, problem: null };
  // The first of a connection names none: anything may have changed before it.
  if (runs.length === 0) return { ...common, runs: new Map(), since: version };
  const now = runs.map((run): [string, number] => [run, version]);
  return { ...common, runs: new Map([...before.runs, ...now]), since: before.since };
}

function told({ runs, since, ...rest }: Heard): Changes {
  return { ...rest, versionOf: (run) => runs.get(run) ?? since };
}
