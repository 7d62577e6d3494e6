/**
 * A link from a figure to its phase.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { startOf } from '../parts/untrusted-text.ts';
import { hashOfRun, type RunRoute } from '../route.ts';

interface PhaseLinkProps {
  readonly route: RunRoute;
  readonly phase: string;
}

/** The name of a phase. It opens the panel of the phase next to the tables. */
export function PhaseLink({ route, phase }: PhaseLinkProps): ReactNode {
  return (
    <a
      href={hashOfRun(route.run, { ...route, phase, attempt: null })}
      aria-current={phase === route.phase || undefined}
    >
      {startOf(phase, 80)}
    </a>
  );
}
