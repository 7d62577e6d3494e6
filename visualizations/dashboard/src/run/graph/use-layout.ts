/**
 * The layout of a plan, computed in a worker if the plan is large.
 *
 * @module
 */
import { useEffect, useMemo, useState } from 'react';
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import type { Layout } from '../../../../layout/layout.ts';
import { layoutForRun, MOST_AT_ONCE } from './layout-request.ts';

/** The layout; `undefined` until it is computed. */
export function useLayout(plan: Plan | undefined): Layout | undefined {
  const [made, setMade] = useState<{ readonly plan: Plan; readonly layout: Layout } | undefined>();
  const isLarge = plan !== undefined && plan.phases.length > MOST_AT_ONCE;
  const small = useMemo(() => (plan && !isLarge ? layoutForRun(plan) : undefined), [plan, isLarge]);
  useEffect(() => {
    if (!isLarge || layouts.has(plan)) return undefined;
    const worker = new Worker(new URL('layout-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Layout>) => {
      layouts.set(plan, data);
      setMade({ plan, layout: data });
      worker.terminate();
    });
    worker.postMessage(plan, []);
    return () => worker.terminate();
  }, [plan, isLarge]);
  if (small) return small;
  return plan && (layouts.get(plan) ?? (made?.plan === plan ? made.layout : undefined));
}

// --- internal ---

/** Layouts by plan. A plan stays the same object while its run is shown. */
const layouts = new WeakMap<Plan, Layout>();
