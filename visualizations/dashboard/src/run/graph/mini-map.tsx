/**
 * A small picture of the whole graph, with the part that is in view. The user moves the view by pressing or dragging in it.
 *
 * @module
 */
import { useReactFlow, useStore } from '@xyflow/react';
import { memo, type PointerEvent, type ReactNode, useMemo } from 'react';
import { type LookTone, statusMarks } from '../../../../../src/projections/wording/status-marks.ts';
import type { Layout } from '../../../../layout/layout.ts';
import type { PhaseFace } from './phase-face.ts';

interface MiniMapProps {
  readonly layout: Layout;
  readonly faces: readonly PhaseFace[];
}

/** The picture; nothing while the whole graph is in view. */
export const MiniMap = memo(function MiniMap({ layout, faces }: MiniMapProps): ReactNode {
  const isWhole = useStore(({ transform: [x, y, zoom], width, height }) =>
    [x, y, width - layout.width * zoom - x, height - layout.height * zoom - y].every((room) => room >= -MARGIN * zoom),
  );
  return isWhole ? null : <Picture layout={layout} faces={faces} />;
});

// --- internal ---

/** The empty pixels around the phases of a layout. */
const MARGIN = 16;
const MOST_WIDTH = 180;
const MOST_HEIGHT = 110;
/** The least size of a phase and of the frame, in pixels of the small picture. */
const LEAST = 2;
const TONES: readonly LookTone[] = ['dim', 'good', 'busy', 'warn', 'bad'];

function Picture({ layout, faces }: MiniMapProps): ReactNode {
  const flow = useReactFlow();
  const scale = Math.min(MOST_WIDTH / layout.width, MOST_HEIGHT / layout.height);
  const width = Math.max(LEAST, layout.width * scale);
  const height = Math.max(4 * LEAST, layout.height * scale);
  const move = ({ currentTarget, clientX, clientY, buttons }: PointerEvent<SVGSVGElement>) => {
    if (buttons === 0) return;
    const box = currentTarget.getBoundingClientRect();
    const [x, y] = [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
    void flow.setCenter(x * layout.width, y * layout.height, { zoom: flow.getZoom(), duration: 0 });
  };
  return (
    <div className="mini-map">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        aria-hidden="true"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          move(event);
        }}
        onPointerMove={move}
      >
        <Boxes layout={layout} faces={faces} scale={scale} />
        <Frame scale={scale} />
      </svg>
    </div>
  );
}

const Boxes = memo(function Boxes({
  layout,
  faces,
  scale,
}: MiniMapProps & { readonly scale: number }): readonly ReactNode[] {
  const paths = useMemo(() => {
    const byTone = new Map<LookTone, string[]>(TONES.map((tone) => [tone, []]));
    for (const { index, status } of faces) {
      const node = layout.nodes[index];
      if (!node) continue;
      const [width, height] = [node.width * scale, node.height * scale].map((size) => Math.max(LEAST, size));
      const [x, y] = [node.x * scale - (width ?? 0) / 2, node.y * scale - (height ?? 0) / 2].map((one) =>
        one.toFixed(1),
      );
      byTone
        .get(statusMarks[status].tone)
        ?.push(`M${x},${y}h${width?.toFixed(1)}v${height?.toFixed(1)}h-${width?.toFixed(1)}z`);
    }
    return byTone;
  }, [layout, faces, scale]);
  return TONES.map((tone) => <path key={tone} className={tone} d={paths.get(tone)?.join('')} />);
});

/** The part of the graph that is in view. */
function Frame({ scale }: { readonly scale: number }): ReactNode {
  const [x, y, zoom] = useStore(({ transform }) => transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const size = scale / zoom;
  return <rect className="frame" x={-x * size} y={-y * size} width={width * size} height={height * size} rx={2} />;
}
