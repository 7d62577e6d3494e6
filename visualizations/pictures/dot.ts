/**
 * A pipeline in the DOT language of Graphviz.
 *
 * @module
 */
import type { Plan } from '../../src/model/plan/plan.ts';
import { outlineOf, visible, type OutlinePhase } from './outline.ts';
import { standingLines, type PhaseStanding, type RunStanding } from './run-standing.ts';
import { toneColours } from './tones.ts';

/**
 * Draws a plan: a cluster for each phase with its tasks and gate, arrows in the order of work, dashed arrows for possible
 * rewinds.
 *
 * @param standing The status of a run. Phases then show it, and rewinds that were taken are bold. See `runStandingOf` of
 * `phasegate/visualizations`.
 *
 * @example
 * ```ts
 * await writeFile('pipeline.dot', toDot(pipeline.plan)); // then: dot -Tsvg pipeline.dot
 * ```
 */
export function toDot(plan: Plan, standing?: RunStanding): string {
  const { name, phases, order, rewinds } = outlineOf(plan, standing);
  const lines = [
    `digraph ${dotText([name])} {`,
    '  graph [rankdir=LR, compound=true, fontname="Helvetica"];',
    '  node [shape=box, style=rounded, fontname="Helvetica"];',
    '  edge [fontname="Helvetica", fontsize=10];',
    ...phases.flatMap(drawPhase),
    ...order.map(([from, to]) => `  ${from.last} -> ${to.first} [ltail=cluster_${from.id}, lhead=cluster_${to.id}];`),
    ...rewinds.map(({ from, to, label, times }) => {
      const ends = `ltail=cluster_${from.id}, lhead=cluster_${to.id}`;
      const line = times > 0 ? 'style=bold' : 'style=dashed';
      // Ways back do not affect the order of work, so they must not affect the layout.
      return `  ${from.last} -> ${to.first} [${ends}, ${line}, constraint=false, label=${dotText([label])}];`;
    }),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

// --- internal ---

function drawPhase({ id, name, standing, tasks, gate, order }: OutlinePhase): readonly string[] {
  return [
    `  subgraph cluster_${id} {`,
    `    label=${dotText([name, ...(standing ? standingLines(standing) : [])])};`,
    ...(standing ? [`    ${colours(standing)}`] : []),
    ...tasks.map((task) => `    ${task.id} [label=${dotText(task.label)}];`),
    ...(gate ? [`    ${gate.id} [shape=diamond, style=solid, label=${dotText(gate.label)}];`] : []),
    ...order.map(([from, to]) => `    ${from} -> ${to};`),
    '  }',
  ];
}

function colours({ tone }: PhaseStanding): string {
  const { fill, line, text } = toneColours[tone];
  return `style=filled; fillcolor="${fill}"; color="${line}"; fontcolor="${text}";`;
}

/** Quotes a string for DOT. A backslash of the user would start an escape such as `\\N`, the name of the node. */
export function dotText(lines: readonly string[]): string {
  const text = lines.map((line) => visible(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"')).join('\\n');
  return `"${text}"`;
}
