/**
 * Changes of runs and of the inbox, while the page is visible.
 *
 * @module
 */
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { Change, Refusal } from '../../../../src/server/api.ts';
import { ask } from './ask.ts';
import { feed } from './feed.ts';
import { byPageVisibility } from './page-visibility.ts';
import type { EventHandlers } from './stream.ts';
import { parseResponse } from './json-protocol.ts';

/** The known changes, and the state of the connection. */
export interface Changes {
  /** Grows with each change. Lists then read again. */
  readonly version: number;
  /** The version of one run, which grows when that run may have changed. */
  readonly versionOf: (run: string) => number;
  /** The runs that have changed after a version; `null` if any may have. */
  readonly changedSince: (version: number) => readonly string[] | null;
  /** The number of open items without an answer; `null` if unknown. */
  readonly open: number | null;
  /** True if the server can be reached. */
  readonly connected: boolean;
  /** True if the server has announced its end, as its command is finished. */
  readonly isOver: boolean;
  /** The number of lost connections so far. */
  readonly cuts: number;
  /** The server's message about why it sends no changes; `null` if it does. */
  readonly problem: string | null;
}

/** The changes of the app. */
export const ChangesContext = createContext<Changes>({
  version: 0,
  versionOf: () => 0,
  changedSince: () => null,
  open: null,
  connected: false,
  isOver: false,
  cuts: 0,
  problem: null,
});

/** Reads the changes of the app. */
export function useChanges(): Changes {
  return useContext(ChangesContext);
}

/**
 * Receives changes, for the one component that shares them. While the page is hidden, it only polls the number of open items, for
 * the title.
 */
export function useChangeStream(): Changes {
  const [changes, setChanges] = useState<ChangeState>(INITIAL);
  useEffect(() => {
    const handlers: EventHandlers = {
      changed({ data }) {
        const change = parseResponse<Change>(data);
        setChanges((before) => withChange(before, change));
      },
      closing: () => setChanges((before) => ({ ...before, isOver: true })),
      open: () => setChanges((before) => ({ ...before, connected: true, isOver: false })),
      error(event) {
        // An error that the server sends has data. A lost connection has none.
        const problem = event instanceof MessageEvent ? parseResponse<Refusal>(String(event.data)).error.message : null;
        setChanges((before) => ({ ...before, connected: problem !== null, problem, cuts: before.cuts + 1 }));
      },
    };
    return byPageVisibility(
      () => feed.subscribe(handlers),
      () => countOpen((open) => setChanges((before) => ({ ...before, open }))),
    );
  }, []);
  return useMemo(() => changesOf(changes), [changes]);
}

// --- internal ---

/** Milliseconds between two polls of the number of open items. */
const COUNT_MS = 15_000;

/** Polls the number of open items. @returns A function that stops it. */
function countOpen(report: (open: number) => void): () => void {
  const leave = new AbortController();
  const count = () => {
    // An unreachable server is reported once the page is visible again.
    ask<Pick<Change, 'open'>>('/api/open', leave.signal).then(
      ({ open }) => leave.signal.aborted || report(open),
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

interface ChangeState extends Omit<Changes, 'versionOf' | 'changedSince'> {
  /** The version of the latest change of each run. */
  readonly runs: ReadonlyMap<string, number>;
  /** The version since which all changes are known. */
  readonly since: number;
}

const INITIAL: ChangeState = {
  version: 0,
  open: null,
  connected: true,
  isOver: false,
  cuts: 0,
  problem: null,
  runs: new Map(),
  since: 0,
};

function withChange(before: ChangeState, { runs, open }: Change): ChangeState {
  const version = before.version + 1;
  const common = { version, open, connected: true, isOver: before.isOver, cuts: before.cuts, problem: null };
  // The first change of a connection names no runs: anything may have changed before it.
  if (runs.length === 0) return { ...common, runs: new Map(), since: version };
  const now = runs.map((run): [string, number] => [run, version]);
  return { ...common, runs: new Map([...before.runs, ...now]), since: before.since };
}

function changesOf({ runs, since, ...rest }: ChangeState): Changes {
  return {
    ...rest,
    versionOf: (run) => runs.get(run) ?? since,
    changedSince: (version) =>
      version < since ? null : [...runs].flatMap(([run, changed]) => (changed > version ? run : [])),
  };
}
