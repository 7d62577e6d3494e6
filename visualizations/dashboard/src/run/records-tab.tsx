/**
 * The records of a run.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { TabProps } from './tab.ts';

/** The records of a run. */
export function RecordsTab({ story }: TabProps): ReactNode {
  return <p>{story.seq}</p>;
}
