/**
 * Reading of the records that a run has now, for pages that do not follow it.
 *
 * @module
 */
import { useEffect, useRef, useState } from 'react';
import type { RunRecord } from '../../../../src/model/events/event.ts';
import type { Refusal } from '../../../../src/server/api.ts';
import { addressOf } from './address.ts';
import { Refused, refusedBy, UNREACHABLE } from './ask.ts';
import { parseResponse } from './json-protocol.ts';

/** The records of a run. */
export interface StoredRecords {
  /** New records are added to the same array, so `count` tells if there are any. */
  readonly records: readonly RunRecord[];
  readonly count: number;
  /** True if all records that the run had when they were asked for are there. */
  readonly isWhole: boolean;
  readonly problem: Refused | null;
}

/**
 * Reads the records of a run, and those that are new each time `version` changes.
 *
 * @param run `null` to read nothing.
 */
export function useStoredRecords(run: string | null, version: number): StoredRecords {
  const [read, setRead] = useState<StoredRecords>(NONE);
  const records = useRef<RunRecord[]>([]);
  useEffect(() => {
    if (run === null) return undefined;
    const leave = new AbortController();
    const known = records.current;
    readOn(run, known, leave.signal).then(
      () => setRead({ records: known, count: known.length, isWhole: true, problem: null }),
      (thrown: unknown) => {
        if (leave.signal.aborted) return;
        setRead({ records: known, count: known.length, isWhole: false, problem: refusedBy(thrown) });
      },
    );
    return () => leave.abort();
  }, [run, version]);
  return read;
}

// --- internal ---

const NONE: StoredRecords = { records: [], count: 0, isWhole: false, problem: null };

/** Adds the records after the known ones. @throws Refused */
function readOn(run: string, known: RunRecord[], signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams({ from: String(known.length + 1) }).toString();
  const source = new EventSource(addressOf(`/api/runs/${encodeURIComponent(run)}/records?${query}`));
  const close = () => source.close();
  signal.addEventListener('abort', close, { once: true });
  source.addEventListener('records', ({ data }: MessageEvent<string>) => {
    for (const record of parseResponse<readonly RunRecord[]>(data))
      if (record.seq === known.length + 1) known.push(record);
  });
  return new Promise<void>((resolve, reject) => {
    source.addEventListener('caught-up', () => resolve());
    source.addEventListener('gone', () => resolve());
    source.addEventListener('unreadable', ({ data }: MessageEvent<string>) =>
      reject(new Refused(parseResponse<Refusal>(data))),
    );
    source.addEventListener('error', () => reject(new Refused({ error: LOST })));
  }).finally(close);
}

const LOST = {
  code: UNREACHABLE,
  message: 'The records of the run could not be read, as the connection to the server was lost',
  hint: 'Reload the page.',
};
