/**
 * The graph of a run. The user can pan and zoom it, and navigate it by keyboard.
 *
 * @module
 */
import { Background, Controls, ReactFlow, ReactFlowProvider, useReactFlow, useStore, useStoreApi } from '@xyflow/react';
import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import type { Layout } from '../../../../layout/layout.ts';
import type { SentBack } from '../../data/run-history.ts';
import { KeysContext } from './graph-keys.ts';
import { centreWithin, viewportFor, wholeAgain } from './graph-viewport.ts';
import { createNodeMaker, type PhaseNode } from './graph-parts.ts';
import { MiniMap } from './mini-map.tsx';
import { isWay, neighbourOf } from './neighbours.ts';
import type { PhaseFace } from './phase-face.ts';
import { PhaseBox } from './phase-node.tsx';
import { PhaseWays } from './phase-edges.tsx';
import { rewindWords } from './rewinds-of.ts';
import '@xyflow/react/dist/base.css';
import './graph.css';

interface PhaseGraphProps {
  readonly plan: Plan;
  readonly layout: Layout;
  readonly faces: readonly PhaseFace[];
  readonly sentBack: readonly SentBack[];
  readonly isWanted: (face: PhaseFace) => boolean;
  /** True if the rewinds that all gates allow are drawn. */
  readonly showsAll: boolean;
  /** The phase whose panel is open. */
  readonly open: string | null;
  readonly onOpen: (phase: string) => void;
}

/** The graph. */
export function PhaseGraph(props: PhaseGraphProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

// --- internal ---

const NODE_TYPES = { phase: PhaseBox };
/** The zoom from which names are readable. If the whole graph needs a smaller zoom, the first view shows a part of it. */
const READABLE = 0.6;
const LEAST_ZOOM = 0.02;
/** The zoom below which boxes have no text. */
const FAR = 0.32;
const LEGEND =
  'Arrows show the order of work. A phase at the pointer or with the focus shows, dashed, the phases that it may send back.';

function Canvas(props: PhaseGraphProps): ReactNode {
  const { plan, layout, faces, sentBack, isWanted, showsAll, open, onOpen } = props;
  const [makeNodes] = useState(createNodeMaker);
  const nodes = useMemo(() => makeNodes(faces, { layout, isWanted, open }), [makeNodes, faces, layout, isWanted, open]);
  const [keys, setKeys] = useState(() => ({ current: firstOf(faces, open), moves: 0 }));
  const { current } = keys;
  const [pointed, setPointed] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const active = pointed ?? focused ?? open;
  const canvas = useRef<HTMLDivElement>(null);
  const flow = useReactFlow<PhaseNode>();
  const store = useStoreApi();
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR);

  const reveal = useCallback(
    (index: number, zoom = 1) => {
      const node = layout.nodes[index];
      if (!node) return;
      const size = canvas.current?.getBoundingClientRect() ?? { width: 0, height: 0 };
      const look = centreWithin(node, layout, { zoom, width: size.width, height: size.height });
      void flow.setCenter(look.x, look.y, { zoom, duration: 0 });
    },
    [flow, layout],
  );
  // If the panel makes the graph narrower, it is shown whole as before, or else the opened phase is moved into view.
  const width = useStore((state) => state.width);
  const widthBefore = useRef(0);
  useEffect(() => {
    const viewport = { ...flow.getViewport(), width, height: store.getState().height };
    const whole = wholeAgain(layout.nodes, viewport, widthBefore.current, READABLE);
    widthBefore.current = width;
    if (whole) {
      void flow.setCenter(whole.x, whole.y, { zoom: whole.zoom, duration: durationNow() });
      return;
    }
    const node = layout.nodes.find(({ name }) => name === open);
    if (!node || width === 0) return;
    const { x, y, zoom } = viewport;
    const [left, right] = [(node.x - node.width / 2) * zoom + x, (node.x + node.width / 2) * zoom + x];
    const middle = node.y * zoom + y;
    if (left < 0 || right > width || middle < 0) void flow.setCenter(node.x, node.y, { zoom, duration: durationNow() });
  }, [flow, layout, open, width, store]);
  // Moves phases that match the filters into view. Changes of the run move nothing.
  const latest = useRef(faces);
  useEffect(() => {
    latest.current = faces;
  }, [faces]);
  useEffect(() => {
    const wanted = latest.current.filter(isWanted);
    if (width === 0 || wanted.length === latest.current.length) return;
    const { height } = store.getState();
    const places = wanted.flatMap(({ index }) => layout.nodes[index] ?? []);
    const look = viewportFor(places, { ...flow.getViewport(), width, height }, READABLE);
    if (look) void flow.setCenter(look.x, look.y, { zoom: look.zoom, duration: durationNow() });
  }, [flow, layout, isWanted, width, store]);
  const onFocus = ({ target }: FocusEvent) => {
    const face = phaseIn(target, faces);
    setFocused(face?.name ?? null);
    if (face) setKeys((before) => (before.current === face.index ? before : { ...before, current: face.index }));
  };
  const place = useRef('');
  const onPointerMove = ({ target, screenX, screenY, buttons, pointerType }: PointerEvent) => {
    // The browser also reports a move if the graph moves below a pointer that rests.
    const next = `${screenX} ${screenY}`;
    if (next === place.current || buttons !== 0 || pointerType === 'touch') return;
    place.current = next;
    setPointed(target instanceof Element ? (phaseIn(target, faces)?.name ?? null) : null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey) return;
    setPointed(null);
    if (key === '+' || key === '=') void flow.zoomIn({ duration: durationNow() });
    else if (key === '-') void flow.zoomOut({ duration: durationNow() });
    else if (key === '0') void flow.fitView({ duration: durationNow() });
    else if (isWay(key)) {
      const next = neighbourOf(plan, layout.nodes, { from: current, way: key });
      if (next !== null) {
        setKeys(({ moves }) => ({ current: next, moves: moves + 1 }));
        reveal(next, Math.max(flow.getZoom(), READABLE));
      }
    } else return;
    event.preventDefault();
  };
  return (
    <KeysContext value={keys}>
      <div ref={canvas} className={`phase-graph${isFar ? ' far' : ''}`}>
        <ReactFlow<PhaseNode>
          aria-label="Graph of the phases. Arrow keys go from phase to phase, Enter opens one, + and - zoom, 0 shows all."
          onKeyDown={onKeyDown}
          onFocus={onFocus}
          onBlur={() => setFocused(null)}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setPointed(null)}
          nodes={nodes}
          nodeTypes={NODE_TYPES}
          onNodeClick={(_, node) => {
            setKeys((before) => ({ ...before, current: node.data.face.index }));
            onOpen(node.data.face.name);
          }}
          onInit={() => {
            const size = canvas.current?.getBoundingClientRect();
            const zoom = size ? Math.min(size.width / layout.width, size.height / layout.height) : 1;
            if (zoom >= READABLE) void flow.fitView({ maxZoom: 1, padding: 0.06 });
            else reveal((faces.every(isWanted) ? undefined : faces.find(isWanted)?.index) ?? current);
          }}
          minZoom={LEAST_ZOOM}
          maxZoom={2}
          onlyRenderVisibleElements
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          zoomOnDoubleClick={false}
        >
          <PhaseWays plan={plan} layout={layout} sentBack={sentBack} active={active} showsAll={showsAll} />
          <Background gap={24} />
          <Controls showInteractive={false} fitViewOptions={{ padding: 0.06 }} />
        </ReactFlow>
        <MiniMap layout={layout} faces={faces} />
      </div>
      <p className="ways-words quiet">{active === null ? LEGEND : rewindWords(plan, active, sentBack)}</p>
    </KeysContext>
  );
}

/** The phase whose box an element is, or is in. */
function phaseIn(element: Element, faces: readonly PhaseFace[]): PhaseFace | null {
  const index = element.closest('[data-phase]')?.getAttribute('data-phase');
  return index ? (faces[Number(index)] ?? null) : null;
}

function durationNow(): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200;
}

/** The phase at which keyboard navigation starts. */
function firstOf(faces: readonly PhaseFace[], open: string | null): number {
  const face =
    faces.find(({ name }) => name === open) ??
    faces.find(({ status }) => status === 'escalated' || status === 'failed' || status === 'rejected') ??
    faces.find(({ status }) => status !== 'approved' && status !== 'pending');
  return face?.index ?? 0;
}
