/**
 * The records of a run as they come: stored ones and new ones by the same stream, which goes on where it was cut.
 *
 * @module
 */
import { useEffect, useState } from 'react';
import type { RunRecord } from '../../../../src/model/events/event.ts';
import { feed } from './feed.ts';
import { fromWire } from './json-protocol.ts';

/** The records so far. */
export interface RecordLog {
  /** In the order of their numbers; the same array is added to, so `count` tells what is new. */
  readonly records: readonly RunRecord[];
  readonly count: number;
  /** `loading` until all that was kept has come; `cut` while the server cannot be heard; `gone` where the run was removed. */
  readonly state: 'loading' | 'live' | 'cut' | 'gone';
}

/** Listens to a run. React is told at most once a frame. */
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
        for (const record of fromWire<readonly RunRecord[]>(data))
          if (record.seq === records.length + 1) records.push(record);
        // While the past comes in, a frame per batch would be work for nothing.
        if (state !== 'loading') show();
      },
      'caught-up': () => stand('live'),
      gone() {
        end();
        stand('gone');
      },
      unreadable: () => stand('cut'),
      error(event) {
        // What the server says itself is of something else.
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
