/**
 * Long lists that render only their visible rows.
 *
 * @module
 */
import { type RefObject, useEffect, useRef, useState } from 'react';

/** The rows to render. */
export interface VirtualRows<E extends HTMLElement> {
  /** A ref for the scrolling element. */
  readonly scroller: RefObject<E | null>;
  /** The first row to render, from 0. */
  readonly first: number;
  /** The row after the last one to render. */
  readonly end: number;
  /** Pixels in place of the rows before and after. */
  readonly before: number;
  readonly after: number;
  /** Scrolls just far enough to show a row. */
  readonly reveal: (row: number) => void;
}

/**
 * Virtual rows of equal height in a scrolling element.
 *
 * @param count The number of rows.
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
        // Rounded to whole rows, so that a scroll of one pixel causes no rendering.
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
