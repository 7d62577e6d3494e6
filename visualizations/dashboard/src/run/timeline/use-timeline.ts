/**
 * The timeline of a run as of the selected record.
 *
 * @module
 */
import { useMemo, useState } from 'react';
import { foldTimeline, type Timeline, type TimelineBar } from '../../../../../src/projections/timeline/timeline.ts';
import { type WorkTimes, workTimes } from '../../../../../src/projections/timeline/work-times.ts';
import { workTimesText } from '../../../../../src/projections/wording/standing-words.ts';
import { type Fold, follow } from '../../data/follow.ts';
import { exactDuration } from '../../parts/words.ts';
import type { TabProps } from '../tab.ts';

/** The timeline. Bars that have not changed are the same objects as before. */
export function useTimeline({ log, moment }: Pick<TabProps, 'log' | 'moment'>): Timeline {
  const [follower] = useState(() => follow(beginTimeline));
  return useMemo(() => follower.to(log.records, moment.seq), [follower, log, moment]);
}

/** The times of some bars. @param until The end of open bars, in milliseconds since 1970. */
export function timesOf(bars: readonly TimelineBar[], until: number): WorkTimes {
  return workTimes(bars.map((bar) => ({ ...bar, to: bar.to ?? Math.max(bar.from, until) })));
}

/** The times in words, for example `12 s, waited 3 h 10 min`; the wait only if it is at least a second. */
export function timesText(times: WorkTimes): string {
  return workTimesText(times, exactDuration);
}

// --- internal ---

function beginTimeline(): Fold<Timeline> {
  const fold = foldTimeline();
  return { apply: (record) => fold.apply(record), read: () => fold.timeline() };
}
