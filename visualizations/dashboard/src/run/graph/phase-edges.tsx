/**
 * The arrows of the graph, behind its phases.
 *
 * @module
 */
import { ViewportPortal } from '@xyflow/react';
import { memo, type ReactNode, useMemo } from 'react';
import type { Layout } from '../../../../layout/layout.ts';
import type { SentBack } from '../../data/run-history.ts';
import { waysAhead, waysAllowed, waysTaken, type WayGroup } from './graph-edges.ts';

interface PhaseWaysProps {
  readonly layout: Layout;
  readonly sentBack: readonly SentBack[];
  /** The phase whose panel is open. */
  readonly open: string | null;
}

/** Arrows in the order of work, allowed ways back, and ways back that were taken, with the number of times. */
export const PhaseWays = memo(function PhaseWays({ layout, sentBack, open }: PhaseWaysProps): ReactNode {
  const ahead = useMemo(() => waysAhead(layout), [layout]);
  const allowed = useMemo(() => waysAllowed(layout, open), [layout, open]);
  const gone = useMemo(() => waysTaken(layout, sentBack), [layout, sentBack]);
  return (
    <ViewportPortal>
      <svg className="ways" width={layout.width} height={layout.height} aria-hidden="true">
        <Groups kind="allowed" groups={allowed} />
        <Groups kind="ahead" groups={ahead} />
        <Groups kind="gone" groups={gone} />
      </svg>
      {gone.map(({ from, to, label, labelAt: { x, y } }) => (
        <span
          key={JSON.stringify([from, to])}
          className="way-label"
          title={`${from} has sent back ${to}`}
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        >
          {label}
        </span>
      ))}
    </ViewportPortal>
  );
});

// --- internal ---

function Groups({ kind, groups }: { readonly kind: string; readonly groups: readonly WayGroup[] }): ReactNode {
  return groups.map(({ lines, heads }, at) => (
    <g key={at} className={kind}>
      <path className="lines" d={lines} />
      <path className="heads" d={heads} />
    </g>
  ));
}
