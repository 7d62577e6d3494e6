/**
 * Defects and measures of a run as of the selected record.
 *
 * @module
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Defect } from '../../../../src/projections/quality/defect.ts';
import type { Measures } from '../../../../src/projections/quality/measures.ts';
import type { LimitName } from '../../../../src/model/plan/policy-schema.ts';
import { foldQuality } from '../../../../src/projections/quality/quality.ts';
import { type Fold, follow } from '../data/follow.ts';
import type { TabProps } from '../run/tab.ts';

/** Defects and measures. */
export interface Quality {
  readonly defects: readonly Defect[];
  readonly measures: Measures;
  /** Limits that people have lifted. */
  readonly lifted: ReadonlySet<LimitName>;
}

/** Folds the records, at most twice a second. */
export function useQuality({ log: { records }, moment }: Pick<TabProps, 'log' | 'moment'>): Quality {
  const [follower] = useState(() => follow(beginQuality));
  const seq = useCalm(moment.seq);
  return useMemo(() => follower.to(records, seq), [follower, records, seq]);
}

// --- internal ---

/** Measuring 2 000 phases takes about 100 ms, too long for every frame. */
const CALM_MS = 500;

/** Limits how often a number changes. */
function useCalm(next: number): number {
  const [shown, setShown] = useState(next);
  const since = useRef(0);
  useEffect(() => {
    const show = () => {
      since.current = performance.now();
      setShown(next);
    };
    const timer = setTimeout(show, Math.max(0, since.current + CALM_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [next]);
  return shown;
}

function beginQuality(): Fold<Quality> {
  const fold = foldQuality();
  const lifted = new Set<LimitName>();
  return {
    apply(record) {
      fold.apply(record);
      if (record.event.type === 'limit.lifted') lifted.add(record.event.limit);
    },
    read: () => ({ defects: fold.defects(), measures: fold.measures(), lifted: new Set(lifted) }),
  };
}
