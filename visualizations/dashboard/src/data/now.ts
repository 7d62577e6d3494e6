/**
 * The current time by the clock of the server, for ages and running work. The clock of the browser may be wrong.
 *
 * @module
 */
import { createContext, useContext, useEffect, useLayoutEffect, useState } from 'react';
import type { Session } from '../../../../src/server/api.ts';

/** Milliseconds by which the clock of the server is ahead of that of the browser. */
export const ClockContext = createContext(0);

/** Compares both clocks at the time of each new session. @returns Milliseconds by which the server is ahead; 0 until it is known. */
export function useServerAhead(session: Session | undefined): number {
  const [ahead, setAhead] = useState(0);
  // Before the browser paints, so that no page shows a wrong time first.
  useLayoutEffect(() => {
    if (session) queueMicrotask(() => setAhead(session.now - Date.now()));
  }, [session]);
  return ahead;
}

/** The time in milliseconds since 1970 by the clock of the server, updated at an interval. @param everyMs Milliseconds. @default 1000 */
export function useNow(everyMs = 1000): number {
  const ahead = useContext(ClockContext);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now + ahead;
}
