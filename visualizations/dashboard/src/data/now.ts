/**
 * The current time, for ages and running work.
 *
 * @module
 */
import { useEffect, useState } from 'react';

/** The time in milliseconds since 1970, updated at an interval. @param everyMs Milliseconds. @default 1000 */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
