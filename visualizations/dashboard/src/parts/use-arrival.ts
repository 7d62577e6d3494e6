/**
 * Where the focus goes when what was asked for has taken the place of the button that asked for it.
 *
 * @module
 */
import { type RefObject, useEffect, useRef } from 'react';

/**
 * Moves the focus once, after something that somebody has asked for is there.
 *
 * @returns For the element that gets the focus, and to be called when it is asked for.
 */
export function useArrival(isThere: boolean): readonly [place: RefObject<HTMLDivElement | null>, expect: () => void] {
  const place = useRef<HTMLDivElement>(null);
  const isExpected = useRef(false);
  useEffect(() => {
    if (!isThere || !isExpected.current) return;
    isExpected.current = false;
    place.current?.focus();
  }, [isThere]);
  return [place, () => void (isExpected.current = true)];
}
