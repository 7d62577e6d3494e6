/**
 * The record that is looked at. It stands in the address, which cannot follow a slider: browsers allow a few changes per second.
 *
 * @module
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { go, routeOf, type RunRoute } from '../route.ts';

/** The record up to which the run is shown, `null` for all there are; and how to look at another. */
export function useMoment(route: RunRoute): readonly [at: number | null, look: (at: number | null) => void] {
  const [ahead, setAhead] = useState<Ahead | null>(null);
  const timer = useRef(0);
  useEffect(() => {
    // Somebody has gone elsewhere, or the address has caught up.
    const stop = () => {
      clearTimeout(timer.current);
      timer.current = 0;
    };
    return stop;
  }, [route.at]);
  const wanted = useRef<number | null>(null);
  const look = useCallback((at: number | null) => {
    wanted.current = at;
    setAhead({ at, of: momentHere() });
    timer.current ||= window.setTimeout(() => {
      timer.current = 0;
      const here = routeOf(location.hash);
      if (here.page === 'run') go({ ...here, at: wanted.current }, 'replace');
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
