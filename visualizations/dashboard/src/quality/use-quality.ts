/**
 * What the records of a run say of its defects and of what everything took, at the record that is looked at.
 *
 * @module
 */
import { useMemo, useState } from 'react';
import type { Defect } from '../../../../src/model/defect.ts';
import type { Measures } from '../../../../src/model/measures.ts';
import type { LimitName } from '../../../../src/model/policy.ts';
import { foldQuality } from '../../../../src/model/quality.ts';
import { type Fold, follow } from '../data/follow.ts';
import type { TabProps } from '../run/tab.ts';

/** Defects and measures. */
export interface Quality {
  readonly defects: readonly Defect[];
  readonly measures: Measures;
  /** Limits that people have lifted. */
  readonly lifted: ReadonlySet<LimitName>;
}

/** Folds records, as long as whoever asks is shown. */
export function useQuality({ log, story }: Pick<TabProps, 'log' | 'story'>): Quality {
  const [follower] = useState(() => follow(beginQuality));
  return useMemo(() => follower.to(log.records, story.seq), [follower, log, story.seq]);
}

// --- internal ---

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
