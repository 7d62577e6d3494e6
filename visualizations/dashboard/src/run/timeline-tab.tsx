/**
 * The timeline of a run.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { TabProps } from './tab.ts';

/** The timeline of a run. */
export function TimelineTab({ story }: TabProps): ReactNode {
  return <p>{story.seq}</p>;
}
