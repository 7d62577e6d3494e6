/**
 * A pipeline as an SVG picture.
 *
 * @module
 */
import type { PhasePlan, Plan } from '../../src/model/plan/plan.ts';
import { layoutOf } from '../layout/layout.ts';
import { waysBackIn, type WayBack } from '../layout/ways-back.ts';
import { gateLine } from './gate-label.ts';
import { standingLines, type RunStanding } from './run-standing.ts';
import { arrowBack, arrowThrough, labelBack, svgDocument, textBox, textBoxSize, type TextBox } from './svg-parts.ts';

/**
 * Draws a plan: a box for each phase with its tasks and gate, in columns by the order of work, and ways back below. The document
 * needs no other file, adapts to light and dark mode, and contains a description in words.
 *
 * @param standing The status of a run. Phases then show it, and rewinds that were taken have solid lines. See `runStandingOf`.
 *
 * @example
 * ```ts
 * await writeFile('pipeline.svg', toSvg(pipeline.plan));
 * ```
 */
export function toSvg(plan: Plan, standing?: RunStanding): string {
  const boxes = new Map(plan.phases.map((phase) => [phase.name, boxOf(phase, standing)]));
  const ways = waysBackIn(plan, standing);
  const size = (phase: PhasePlan) => textBoxSize(boxes.get(phase.name) ?? boxOf(phase, standing));
  const { width, height, nodes, edges, backEdges } = layoutOf(plan, { size, rewinds: ways });
  const backs = backEdges.map(({ points }, at) => ({ points, way: ways[at] }));
  const what = standing
    ? `Run ${standing.runId} of pipeline "${plan.name}", ${standing.status === 'running' ? 'not ended' : standing.status}`
    : `Pipeline "${plan.name}"`;
  return svgDocument({
    title: what,
    description: describe(plan, standing, ways),
    width,
    height,
    body: [
      ...backs.map(({ points, way }) => arrowBack(points, (way?.times ?? 0) > 0)),
      ...edges.map(({ points }) => arrowThrough(points)),
      ...nodes.map((node) => textBox(node, boxes.get(node.name) ?? { title: node.name, lines: [], tone: undefined })),
      ...backs.map(({ points, way }) => labelBack(points, way?.label ?? '')),
    ],
  });
}

// --- internal ---

/** The most tasks whose names are shown. If there are more, the box shows their number. */
const MOST_NAMED = 3;

function boxOf({ name, tasks, gate }: PhasePlan, standing: RunStanding | undefined): TextBox {
  const own = standing?.phases.get(name);
  const names = tasks.map((task) => task.name);
  return {
    title: name,
    lines: [
      ...(own ? standingLines(own) : []),
      names.length > MOST_NAMED ? `${names.length} tasks` : names.join(', '),
      ...(gate ? [gateLine(gate)] : []),
    ],
    tone: own?.tone,
  };
}

function describe({ phases }: Plan, standing: RunStanding | undefined, ways: readonly WayBack[]): string {
  const sentences = phases.map(({ name, after }) => {
    const own = standing?.phases.get(name);
    const order = after.length === 0 ? 'comes first' : `comes after ${after.join(' and ')}`;
    const state = own ? `, ${[own.state, ...own.notes].join(', ')}` : '';
    return `${name} ${order}${state}.`;
  });
  const back = ways.map(
    ({ from, to, label, times }) => `${from} ${times > 0 ? 'has sent' : 'may send'} back ${to}: ${label}.`,
  );
  return [...sentences, ...back].join(' ');
}
