/**
 * Live records of a run. Stored and new records come by the same stream, which continues after a lost connection.
 *
 * @module
 */
import { useEffect, useState } from 'react';
import type { RunRecord } from '../../../../src/model/events/event.ts';
import { feed } from './feed.ts';
import { parseResponse } from './json-protocol.ts';

/** The records so far. */
export interface RecordLog {
  /** In the order of their numbers. New records are added to the same array, so `count` tells if there are any. */
  readonly records: readonly RunRecord[];
  readonly count: number;
  /** `loading` until all stored records have come; `cut` while the server cannot be reached; `gone` if the run was removed. */
  readonly state: 'loading' | 'live' | 'cut' | 'gone';
}

/** Receives the records of a run. It renders once a frame at most. */
export function useRecords(run: string): RecordLog {
  const [log, setLog] = useState<RecordLog & { readonly run: string }>({ run, ...NONE });
  useEffect(() => {
    const records: RunRecord[] = [];
    let state: RecordLog['state'] = 'loading';
    let frame = 0;
    const show = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setLog({ run, records, count: records.length, state });
      });
    };
    const stand = (next: RecordLog['state']) => {
      state = next;
      show();
    };
    const end = feed.follow(run, () => records.length, {
      records({ data }) {
        for (const record of parseResponse<readonly RunRecord[]>(data))
          if (record.seq === records.length + 1) records.push(record);
        // While stored records load, a frame per batch would only slow the page down.
        if (state !== 'loading') show();
      },
      'caught-up': () => stand('live'),
      gone() {
        end();
        stand('gone');
      },
      unreadable: () => stand('cut'),
      error(event) {
        // An error that the server sends is about something else.
        if (!(event instanceof MessageEvent)) stand('cut');
      },
    });
    return () => {
      end();
      cancelAnimationFrame(frame);
    };
  }, [run]);
  return log.run === run ? log : NONE;
}

// --- internal ---

const NONE: RecordLog = { records: [], count: 0, state: 'loading' };
