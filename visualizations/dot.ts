/**
 * A pipeline in the DOT language of Graphviz.
 *
 * @module
 */
import type { Plan } from '../src/model/plan.ts';
import { outlineOf, visible, type OutlinePhase } from './outline.ts';

/**
 * Draws a plan: a cluster for each phase with its tasks and gate, arrows in the order of work, dashed arrows where a
 * gate may send back.
 *
 * @example
 * ```ts
 * await writeFile('pipeline.dot', toDot(pipeline.plan)); // then: dot -Tsvg pipeline.dot
 * ```
 */
export function toDot(plan: Plan): string {
  const { name, phases, order, rewinds } = outlineOf(plan);
  const lines = [
    `digraph ${quote([name])} {`,
    '  graph [rankdir=LR, compound=true, fontname="Helvetica"];',
    '  node [shape=box, style=rounded, fontname="Helvetica"];',
    '  edge [fontname="Helvetica", fontsize=10];',
    ...phases.flatMap(drawPhase),
    ...order.map(([from, to]) => `  ${from.last} -> ${to.first} [ltail=cluster_${from.id}, lhead=cluster_${to.id}];`),
    ...rewinds.map(({ from, to, most }) => {
      const ends = `ltail=cluster_${from.id}, lhead=cluster_${to.id}`;
      // Arrows back say nothing about the order of work, so they must not turn the layout around.
      return `  ${from.last} -> ${to.first} [${ends}, style=dashed, constraint=false, label=${quote([`rewind ${most}`])}];`;
    }),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

// --- internal ---

function drawPhase({ id, name, tasks, gate, order }: OutlinePhase): readonly string[] {
  return [
    `  subgraph cluster_${id} {`,
    `    label=${quote([name])};`,
    ...tasks.map((task) => `    ${task.id} [label=${quote(task.label)}];`),
    ...(gate ? [`    ${gate.id} [shape=diamond, style=solid, label=${quote(gate.label)}];`] : []),
    ...order.map(([from, to]) => `    ${from} -> ${to};`),
    '  }',
  ];
}

/** A quoted string; a backslash of the user's own would begin an escape such as `\\N`, the name of the node. */
function quote(lines: readonly string[]): string {
  const text = lines.map((line) => visible(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"')).join('\\n');
  return `"${text}"`;
}
