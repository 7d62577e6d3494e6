/**
 * Phases of the drawn graph in their places.
 *
 * @module
 */
import type { Node } from '@xyflow/react';
import type { Layout } from '../../../../layout/layout.ts';
import type { PhaseFace } from './phase-face.ts';

/** A phase in its place. */
export type PhaseNode = Node<{ readonly face: PhaseFace; readonly isDim: boolean; readonly isOpen: boolean }, 'phase'>;

/** How phases are shown. */
export interface NodeOptions {
  readonly layout: Layout;
  /** Whether it is one that is looked for. */
  readonly isWanted: (face: PhaseFace) => boolean;
  /** The phase whose panel is open. */
  readonly open: string | null;
}

/** Makes nodes again and again: one that has not changed is the same object, so that only others are drawn. */
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
      // Said beforehand, it is not waited for.
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
