/**
 * The focus after loading: the loaded content replaces the button that had it.
 *
 * @module
 */
import { type RefObject, useEffect, useRef } from 'react';

/**
 * Moves the focus once, when requested content is there.
 *
 * @returns A ref for the element that gets the focus, and a function to call on the request.
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
