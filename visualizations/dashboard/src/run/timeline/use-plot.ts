/**
 * The width of the timeline, and its wheel gestures.
 *
 * @module
 */
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';

interface PlotActions {
  /** @param by Factor; more than 1 zooms in. @param at The point to zoom around, from 0 to 1. */
  readonly onZoom: (by: number, at: number) => void;
  /** @param share Share of the visible span; positive moves to later times. */
  readonly onMove: (share: number) => void;
}

/** Ctrl or pinch zooms. A horizontal wheel, or Shift with the wheel, moves. The wheel alone scrolls the rows. */
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
    // An active listener is needed to keep the browser from zooming the page.
    area?.addEventListener('wheel', listen, { passive: false });
    return () => area?.removeEventListener('wheel', listen);
  }, []);
  return { plot, width };
}
