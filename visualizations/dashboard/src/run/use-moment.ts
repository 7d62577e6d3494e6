/**
 * The record that is looked at. It stands in the address, which cannot follow a slider: browsers allow a few changes per second.
 *
 * @module
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { go } from '../navigate.ts';
import { routeOf, type RunRoute } from '../route.ts';

/** The record up to which the run is shown, `null` for all there are; and how to look at another. */
export function useMoment(route: RunRoute): readonly [at: number | null, look: (at: number | null) => void] {
  const [ahead, setAhead] = useState<Ahead | null>(null);
  const timer = useRef(0);
  const wanted = useRef<Ahead>({ at: null, of: null });
  useEffect(() => () => clearTimeout(timer.current), []);
  const look = useCallback((at: number | null) => {
    wanted.current = { at, of: momentHere() };
    setAhead(wanted.current);
    timer.current ||= window.setTimeout(() => {
      timer.current = 0;
      const here = routeOf(location.hash);
      // Unless somebody has gone elsewhere meanwhile.
      if (here.page === 'run' && here.at === wanted.current.of) go({ ...here, at: wanted.current.at }, 'replace');
    }, ADDRESS_MS);
  }, []);
  return [ahead && ahead.of === route.at ? ahead.at : route.at, look];
}

// --- internal ---

const ADDRESS_MS = 400;

/** What is looked at while the address says another record. */
interface Ahead {
  readonly at: number | null;
  readonly of: number | null;
}

function momentHere(): number | null {
  const here = routeOf(location.hash);
  return here.page === 'run' ? here.at : null;
}
