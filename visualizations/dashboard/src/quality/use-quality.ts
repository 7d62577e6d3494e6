/**
 * What the records of a run say of its defects and of what everything took, at the record that is looked at.
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

/** Folds records, as long as whoever asks is shown; twice a second where records keep coming. */
export function useQuality({ log: { records }, story }: Pick<TabProps, 'log' | 'story'>): Quality {
  const [follower] = useState(() => follow(beginQuality));
  const seq = useCalm(story.seq);
  return useMemo(() => follower.to(records, seq), [follower, records, seq]);
}

// --- internal ---

/** To measure 2 000 phases takes some 100 ms, which is too long for every frame. */
const CALM_MS = 500;

/** A number as it is, or was a moment ago. */
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
