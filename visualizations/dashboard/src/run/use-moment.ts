/**
 * The selected record. The URL has it too, but cannot follow a slider, as browsers allow only a few changes per second.
 *
 * @module
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { go } from '../navigate.ts';
import { routeOf, type RunRoute } from '../route.ts';

/** The record as of which the run is shown, `null` for the latest; and a function to select another. */
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
      // The user may have navigated elsewhere meanwhile.
      if (here.page === 'run' && here.at === wanted.current.of) go({ ...here, at: wanted.current.at }, 'replace');
    }, ADDRESS_MS);
  }, []);
  return [ahead && ahead.of === route.at ? ahead.at : route.at, look];
}

// --- internal ---

const ADDRESS_MS = 400;

/** A selected record that the URL does not have yet. */
interface Ahead {
  readonly at: number | null;
  readonly of: number | null;
}

function momentHere(): number | null {
  const here = routeOf(location.hash);
  return here.page === 'run' ? here.at : null;
}
