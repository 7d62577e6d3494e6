/**
 * The time, for ages and what goes on.
 *
 * @module
 */
import { useEffect, useState } from 'react';

/** The time in milliseconds since 1970, again every so often. @param everyMs Milliseconds. @default 1000 */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
