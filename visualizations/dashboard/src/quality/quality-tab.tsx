/**
 * What a run has cost against its limits, and what its gates were worth.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { TabProps } from '../run/tab.ts';

/** Cost and quality of a run. */
export function QualityTab({ story }: TabProps): ReactNode {
  return <p>{story.snapshot.metrics.costUsd}</p>;
}
