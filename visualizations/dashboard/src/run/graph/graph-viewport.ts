/**
 * The viewport of a graph that is larger than the window.
 *
 * @module
 */
import type { LayoutNode } from '../../../../layout/layout.ts';

/** The viewport in the form of React Flow: the offset and zoom of the graph, and the size of the canvas. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

/** A target of the viewport: its centre and its zoom. */
export interface Look {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/**
 * Finds a viewport that shows some phases: all of them if their names are readable then, else the first.
 *
 * @param least The zoom from which names are readable.
 * @returns `null` if the viewport can stay.
 */
export function viewportFor(nodes: readonly LayoutNode[], viewport: Viewport, least: number): Look | null {
  const [first] = nodes;
  if (!first || viewport.width === 0 || viewport.height === 0) return null;
  const box = boxOf(nodes);
  if (viewport.zoom >= least && isIn(box, viewport)) return null;
  const fits = Math.min(
    (viewport.width - 2 * EDGE) / (box.right - box.left),
    (viewport.height - 2 * EDGE) / (box.bottom - box.top),
  );
  if (fits < least) {
    return isIn(boxOf([first]), viewport) && viewport.zoom >= least
      ? null
      : { x: first.x, y: first.y, zoom: Math.max(viewport.zoom, least) };
  }
  const zoom = Math.min(fits, Math.max(viewport.zoom, least), 1);
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, zoom };
}

/**
 * Finds a viewport that shows the whole graph again, after the canvas has got narrower.
 *
 * @param widthBefore The width of the canvas before, in pixels.
 * @param least The zoom from which names are readable.
 * @returns `null` if the whole graph was not in view before, still is, or would not be readable.
 */
export function wholeAgain(
  nodes: readonly LayoutNode[],
  viewport: Viewport,
  widthBefore: number,
  least: number,
): Look | null {
  const box = boxOf(nodes);
  if (!isIn(box, { ...viewport, width: widthBefore }) || isIn(box, viewport)) return null;
  const zoom = Math.min(viewport.zoom, (viewport.width - 2 * EDGE) / (box.right - box.left));
  return zoom < least ? null : { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, zoom };
}

/** Moves the centre of a view to a point, as near as it can without showing emptiness beside a graph that is larger. */
export function centreWithin(
  point: Pick<Look, 'x' | 'y'>,
  graph: Pick<Viewport, 'width' | 'height'>,
  { zoom, width, height }: Pick<Viewport, 'zoom' | 'width' | 'height'>,
): Look {
  return {
    x: within(point.x, graph.width, width / zoom, EDGE / zoom),
    // Below the graph is room for the controls.
    y: within(point.y, graph.height + CONTROLS / zoom, height / zoom, EDGE / zoom),
    zoom,
  };
}

// --- internal ---

const CONTROLS = 48;

function within(at: number, size: number, view: number, margin: number): number {
  if (size + 2 * margin <= view) return size / 2;
  return Math.min(Math.max(at, view / 2 - margin), size + margin - view / 2);
}

/** Pixels to leave free at each side. */
const EDGE = 24;

interface Edges {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The bounding box of nodes. Their positions are their centres. */
function boxOf(nodes: readonly LayoutNode[]): Edges {
  return nodes.reduce<Edges>(
    ({ left, right, top, bottom }, { x, y, width, height }) => ({
      left: Math.min(left, x - width / 2),
      right: Math.max(right, x + width / 2),
      top: Math.min(top, y - height / 2),
      bottom: Math.max(bottom, y + height / 2),
    }),
    { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity },
  );
}

function isIn({ left, right, top, bottom }: Edges, { x, y, zoom, width, height }: Viewport): boolean {
  return left * zoom + x >= 0 && right * zoom + x <= width && top * zoom + y >= 0 && bottom * zoom + y <= height;
}
