/**
 * The arrows of the graph, behind its phases.
 *
 * @module
 */
import { ViewportPortal } from '@xyflow/react';
import { memo, type ReactNode, useMemo } from 'react';
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import type { Layout } from '../../../../layout/layout.ts';
import type { SentBack } from '../../data/run-history.ts';
import { waysAhead, type WayGroup } from './graph-edges.ts';
import { createRewindRouter, type Offsets } from './rewind-routes.ts';
import { allowedRewinds, openRewinds, sendersText } from './rewinds-of.ts';

interface PhaseWaysProps {
  readonly plan: Plan;
  readonly layout: Layout;
  readonly sentBack: readonly SentBack[];
  /** The phase under the pointer, with the focus, or with the open panel. */
  readonly active: string | null;
  /** True if the rewinds that the gates of all phases allow are drawn. */
  readonly showsAll: boolean;
}

/** Arrows in the order of work; rewinds that have happened, with the number of times; and rewinds that gates allow. */
export const PhaseWays = memo(function PhaseWays(props: PhaseWaysProps): ReactNode {
  const { plan, layout, sentBack, active, showsAll } = props;
  const ahead = useMemo(() => waysAhead(layout), [layout]);
  const route = useMemo(() => createRewindRouter(layout), [layout]);
  const drawAll = useMemo(() => (showsAll ? route(allowedRewinds(plan), ALLOWED) : null), [route, plan, showsAll]);
  const all = useMemo(() => drawAll?.() ?? NOTHING, [drawAll]);
  const possible = useMemo(() => {
    if (active === null) return NOTHING;
    return drawAll ? drawAll(active) : route(openRewinds(plan, active, sentBack), ALLOWED)();
  }, [route, drawAll, plan, active, sentBack]);
  const drawGone = useMemo(() => route(sentBack, GONE), [route, sentBack]);
  const gone = useMemo(() => drawGone(), [drawGone]);
  const own = useMemo(() => (active === null ? NOTHING : drawGone(active)), [drawGone, active]);
  return (
    <ViewportPortal>
      <svg className="ways" width={layout.width} height={layout.height} aria-hidden="true">
        <Groups kind="allowed" groups={[all]} />
        <Groups kind="ahead" groups={ahead} />
        <Groups kind="possible" groups={[possible]} />
        <Groups kind={active === null || own.lines === '' ? 'gone' : 'gone receding'} groups={[gone]} />
        <Groups kind="gone own" groups={[own]} />
      </svg>
      {[...gone.labels].map(([to, { x, y }]) => (
        <span
          key={to}
          className="way-label"
          title={sendersText(to, sentBack)}
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        >
          {timesOf(to, sentBack)}
        </span>
      ))}
    </ViewportPortal>
  );
});

// --- internal ---

const NOTHING = { lines: '', heads: '' };
const ALLOWED: Offsets = { beside: 12, below: 28 };
const GONE: Offsets = { beside: 20, below: 16 };
const MOST_TIMES = 99;

function Groups({ kind, groups }: { readonly kind: string; readonly groups: readonly WayGroup[] }): ReactNode {
  return groups.map(({ lines, heads }, at) =>
    lines === '' ? null : (
      <g key={at} className={kind}>
        <path className="lines" d={lines} />
        <path className="heads" d={heads} />
      </g>
    ),
  );
}

/** The number of times that a phase was sent back, short enough for the gap between columns. */
function timesOf(phase: string, sentBack: readonly SentBack[]): string {
  const times = sentBack.reduce((sum, { to, times: one }) => (to === phase ? sum + one : sum), 0);
  return times > MOST_TIMES ? `${MOST_TIMES}+×` : `${times}×`;
}
