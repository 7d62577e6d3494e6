/**
 * The nodes of the graph.
 *
 * @module
 */
import type { Node } from '@xyflow/react';
import type { Layout } from '../../../../layout/layout.ts';
import type { PhaseFace } from './phase-face.ts';

/** A phase as a node of React Flow. */
export type PhaseNode = Node<{ readonly face: PhaseFace; readonly isDim: boolean; readonly isOpen: boolean }, 'phase'>;

/** Options of the nodes. */
export interface NodeOptions {
  readonly layout: Layout;
  /** True if the phase matches the filters. */
  readonly isWanted: (face: PhaseFace) => boolean;
  /** The phase whose panel is open. */
  readonly open: string | null;
}

/** Creates a maker of nodes. It returns the same object for an unchanged node, so that only changed ones are rendered. */
export function createNodeMaker(): (faces: readonly PhaseFace[], options: NodeOptions) => PhaseNode[] {
  let before: readonly PhaseNode[] = [];
  let placed: Layout | undefined;
  return (faces, { layout, isWanted, open }) => {
    const nodes = faces.flatMap((face): PhaseNode[] => {
      const place = layout.nodes[face.index];
      const old = placed === layout ? before[face.index] : undefined;
      const isDim = !isWanted(face);
      const isOpen = face.name === open;
      if (old?.data.face === face && old.data.isDim === isDim && old.data.isOpen === isOpen) return [old];
      if (!place) return [];
      const { x, y, width, height } = place;
      const position = { x: x - width / 2, y: y - height / 2 };
      // A known size saves React Flow from measuring.
      const measured = { width, height };
      return [
        {
          id: String(face.index),
          type: 'phase',
          position,
          width,
          height,
          measured,
          data: { face, isDim, isOpen },
        },
      ];
    });
    before = nodes;
    placed = layout;
    return nodes;
  };
}
