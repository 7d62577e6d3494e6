/**
 * The part of the page that a timeline is drawn on: how wide it is, and what wheel and pointer do on it.
 *
 * @module
 */
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';

interface PlotActions {
  /** @param by More than 1 to see more of less. @param at Around which point, from 0 to 1. */
  readonly onZoom: (by: number, at: number) => void;
  /** @param share Of what is seen, later where it is positive. */
  readonly onMove: (share: number) => void;
}

/** Ctrl, or pinching, zooms; a wheel to the side, or with Shift, moves. A wheel alone scrolls the rows. */
export function usePlot({ onZoom, onMove }: PlotActions): {
  readonly plot: RefObject<HTMLDivElement | null>;
  /** Pixels. */
  readonly width: number;
} {
  const plot = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  useEffect(() => {
    const element = plot.current;
    if (!element) return undefined;
    const sizes = new ResizeObserver(() => setWidth(Math.max(1, element.clientWidth)));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  const act = useEffectEvent((event: WheelEvent) => {
    const box = plot.current?.getBoundingClientRect();
    if (!box) return;
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      onZoom(Math.exp(-event.deltaY / 300), Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
    } else if (sideways !== 0 && Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      onMove(sideways / box.width);
    } else return;
    event.preventDefault();
  });
  useEffect(() => {
    const area = plot.current?.closest<HTMLElement>('.timeline-rows');
    const listen = (event: WheelEvent) => act(event);
    // The browser would zoom the page, unless it is told beforehand that it may not.
    area?.addEventListener('wheel', listen, { passive: false });
    return () => area?.removeEventListener('wheel', listen);
  }, []);
  return { plot, width };
}
