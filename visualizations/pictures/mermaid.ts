/**
 * A pipeline as a Mermaid flowchart, which code hosts and many editors render in Markdown.
 *
 * @module
 */
import type { Plan } from '../../src/model/plan/plan.ts';
import { outlineOf, visible, type OutlineNode, type OutlinePhase } from './outline.ts';
import { mermaidExcess } from './mermaid-limits.ts';
import { standingLines, type RunStanding } from './run-standing.ts';
import { toneColours, tones } from './tones.ts';

/**
 * Draws a plan: phases in the order of work with their tasks and gate, arrows between them, dashed arrows for possible rewinds. A
 * comment in the second line says if the diagram is larger than Mermaid draws by default.
 *
 * @param standing The status of a run. Phases then show it, and rewinds that were taken are thick. See `runStandingOf` of
 * `phasegate/visualizations`.
 *
 * @example
 * ```ts
 * await writeFile('pipeline.mmd', toMermaid(pipeline.plan));
 * ```
 */
export function toMermaid(plan: Plan, standing?: RunStanding): string {
  const { phases, order, rewinds } = outlineOf(plan, standing);
  const lines = [
    'flowchart LR',
    ...phases.flatMap(drawPhase),
    ...order.map(([from, to]) => `  ${from.id} --> ${to.id}`),
    ...rewinds.map(({ from, to, label, times }) => {
      const [start, end] = times > 0 ? ['==', '==>'] : ['-.', '.->'];
      return `  ${from.id} ${start} "${mermaidText(label)}" ${end} ${to.id}`;
    }),
    ...(standing ? colours(phases) : []),
  ];
  const text = `${lines.join('\n')}\n`;
  const excess = mermaidExcess(text);
  return excess === undefined ? text : text.replace('\n', `\n  %% ${excess}\n`);
}

// --- internal ---

function drawPhase({ id, name, standing, tasks, gate, order }: OutlinePhase): readonly string[] {
  return [
    `  subgraph ${id}["${mermaidText(name)}"]`,
    // A node of its own, as Mermaid allows one line in a title.
    ...(standing ? [`    ${id}s(["${standingLines(standing).map(mermaidText).join('<br/>')}"])`] : []),
    ...tasks.map((task) => `    ${task.id}["${labelOf(task)}"]`),
    ...(gate ? [`    ${gate.id}{"${labelOf(gate)}"}`] : []),
    ...order.map(([from, to]) => `    ${from} --> ${to}`),
    '  end',
  ];
}

/** A class for each tone. */
function colours(phases: readonly OutlinePhase[]): readonly string[] {
  return tones.flatMap((tone) => {
    const ids = phases.filter(({ standing }) => standing?.tone === tone).flatMap(({ id }) => [id, `${id}s`]);
    const { fill, line, text } = toneColours[tone];
    return ids.length === 0
      ? []
      : [`  classDef ${tone} fill:${fill},stroke:${line},color:${text}`, `  class ${ids.join(',')} ${tone}`];
  });
}

function labelOf({ label }: OutlineNode): string {
  return label.map(mermaidText).join('<br/>');
}

/** Escapes all characters with a meaning in Mermaid, HTML or Markdown as numeric entities. */
export function mermaidText(text: string): string {
  const plain = visible(text).replace(/[^\p{L}\p{M}\p{N} _.,/()+=?!≤…-]/gu, numbered);
  // Mermaid refuses a text that starts like a Markdown list.
  return plain.replace(/^(\d*)([-+=.)])/u, (_, digits: string, mark: string) => digits + numbered(mark));
}

function numbered(character: string): string {
  return `#${character.codePointAt(0)};`;
}
