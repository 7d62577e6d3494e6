/**
 * A pipeline as a Mermaid flowchart, which code hosts and many editors draw in Markdown.
 *
 * @module
 */
import type { Plan } from '../src/model/plan.ts';
import { outlineOf, visible, type OutlineNode, type OutlinePhase } from './outline.ts';

/**
 * Draws a plan: phases with their tasks and gate, arrows in the order of work, dashed arrows where a gate may send back.
 *
 * @example
 * ```ts
 * await writeFile('pipeline.mmd', toMermaid(pipeline.plan));
 * ```
 */
export function toMermaid(plan: Plan): string {
  const { phases, order, rewinds } = outlineOf(plan);
  const lines = [
    'flowchart LR',
    ...phases.flatMap(drawPhase),
    ...order.map(([from, to]) => `  ${from.id} --> ${to.id}`),
    ...rewinds.map(({ from, to, most }) => `  ${from.id} -. "${escape(`rewind ${most}`)}" .-> ${to.id}`),
  ];
  return `${lines.join('\n')}\n`;
}

// --- internal ---

function drawPhase({ id, name, tasks, gate, order }: OutlinePhase): readonly string[] {
  return [
    `  subgraph ${id}["${escape(name)}"]`,
    ...tasks.map((task) => `    ${task.id}["${labelOf(task)}"]`),
    ...(gate ? [`    ${gate.id}{"${labelOf(gate)}"}`] : []),
    ...order.map(([from, to]) => `    ${from} --> ${to}`),
    '  end',
  ];
}

function labelOf({ label }: OutlineNode): string {
  return label.map(escape).join('<br/>');
}

/** Everything that Mermaid, or the HTML and Markdown that it makes, could take for more than text, as a number. */
function escape(text: string): string {
  const plain = visible(text).replace(/[^\p{L}\p{M}\p{N} _.,/()+=?!≤…-]/gu, numbered);
  // At its start, the mark of a Markdown list would be refused as one.
  return plain.replace(/^(\d*)([-+=.)])/u, (_, digits: string, mark: string) => digits + numbered(mark));
}

function numbered(character: string): string {
  return `#${character.codePointAt(0)};`;
}
