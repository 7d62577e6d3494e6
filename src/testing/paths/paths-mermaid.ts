/**
 * Paths as Mermaid flowcharts.
 *
 * @module
 */
import type { PathDecision } from '../decisions/decision.ts';
import { decisionName } from './path-name.ts';

/** The parts of a path that a picture shows. */
export interface DrawnPath {
  readonly decisions: readonly PathDecision[];
  readonly end: string;
}

/** Draws one path, from decision to decision. */
export function drawPath({ decisions, end }: DrawnPath): string {
  const boxes = [...decisions.map(decisionName), `the run has ended: ${end}`];
  return chart(
    boxes.map((text, index) => box(index, text)),
    boxes.slice(1).map((_, index) => arrow(index, index + 1)),
  );
}

/**
 * Draws paths as one Mermaid flowchart: each decision once, with arrows to those that follow it on a path, and the ends.
 *
 * @example
 * ```ts
 * await writeFile('paths.mmd', pathsToMermaid(paths(pipeline, { cover: 'transitions' })));
 * ```
 */
export function pathsToMermaid(paths: readonly DrawnPath[]): string {
  const boxes = new Map<string, number>();
  const arrows = new Set<string>();
  const place = (text: string): number => {
    const known = boxes.get(text) ?? boxes.size;
    boxes.set(text, known);
    return known;
  };
  for (const { decisions, end } of paths) {
    const told = ['the run starts', ...decisions.map(decisionName), `the run has ended: ${end}`].map(place);
    told.slice(1).forEach((to, index) => arrows.add(arrow(told[index] ?? 0, to)));
  }
  return chart(
    [...boxes].map(([text, index]) => box(index, text)),
    [...arrows],
  );
}

// --- internal ---

function chart(boxes: readonly string[], arrows: readonly string[]): string {
  return ['flowchart TD', ...boxes, ...arrows].join('\n');
}

function box(index: number, text: string): string {
  return `  n${index}["${text.replaceAll('&', '&amp;').replaceAll('"', '#quot;').replaceAll('<', '&lt;')}"]`;
}

function arrow(from: number, to: number): string {
  return `  n${from} --> n${to}`;
}
