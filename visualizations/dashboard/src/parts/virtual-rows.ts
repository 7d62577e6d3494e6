/**
 * Long lists of which only the rows that can be seen are there.
 *
 * @module
 */
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Which rows are to be drawn. */
export interface VirtualRows<E extends HTMLElement> {
  /** For the element that scrolls. */
  readonly scroller: RefObject<E | null>;
  /** The first row that is drawn, from 0. */
  readonly first: number;
  /** The row after the last that is drawn. */
  readonly end: number;
  /** Pixels in place of the rows before, and after. */
  readonly before: number;
  readonly after: number;
  /** Scrolls until a row can be seen, and no further. */
  readonly reveal: (row: number) => void;
}

/**
 * Rows of one height in an element that scrolls.
 *
 * @param count How many rows there are.
 * @param height Pixels of each row.
 */
export function useVirtualRows<E extends HTMLElement>(count: number, height: number): VirtualRows<E> {
  const scroller = useRef<E>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    let frame = 0;
    const look = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        // By whole rows, so that not every pixel is a change.
        const top = Math.floor(element.scrollTop / height / OVERSCAN) * OVERSCAN * height;
        const { clientHeight } = element;
        setView((before) =>
          before.top === top && before.height === clientHeight ? before : { top, height: clientHeight },
        );
      });
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
      cancelAnimationFrame(frame);
    };
  }, [height]);
  const first = Math.max(0, Math.min(count, Math.floor(view.top / height) - OVERSCAN));
  const end = Math.min(count, Math.ceil((view.top + view.height) / height) + OVERSCAN * 2);
  const reveal = (row: number) => {
    const element = scroller.current;
    if (!element) return;
    const top = row * height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height * 2 > element.scrollTop + element.clientHeight)
      element.scrollTop = top + height * 2 - element.clientHeight;
  };
  return { scroller, first, end, before: first * height, after: Math.max(0, count - end) * height, reveal };
}

// --- internal ---

const OVERSCAN = 6;
