/**
 * The graph of a run.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { TabProps } from './tab.ts';

/** The graph of a run. */
export function GraphTab({ story }: TabProps): ReactNode {
  return <p>{story.seq}</p>;
}
