/**
 * A machine as an SVG picture.
 *
 * @module
 */
import { arrange, curveBack, heightOf, type NodeSize, type Point } from '../layout/arrange.ts';
import { arrowBack, arrowThrough, svgDocument, textBox, textBoxSize, type TextBox } from '../pictures/svg-parts.ts';
import { ANYWHERE, exitsOf, waysOf } from './statechart-ways.ts';
import type { ChartState, Statechart } from './statechart.ts';

/**
 * Draws a machine: a box for each state, which lists its transitions in the order in which they are tried, and arrows to their
 * targets.
 */
export function chartToSvg(chart: Statechart): string {
  const nodes = [
    ...(exitsOf(chart.transitions).length > 0 ? [{ name: ANYWHERE, box: anywhere(chart) }] : []),
    ...chart.states.map((state) => ({ name: state.name, box: boxOf(state) })),
  ];
  const indexOf = new Map(nodes.map(({ name }, index) => [name, index]));
  const pairs = waysOf(chart).flatMap(({ from, to }): readonly Pair[] => {
    const [start, end] = [indexOf.get(from), indexOf.get(to)];
    return start === undefined || end === undefined || start === end ? [] : [{ from: start, to: end }];
  });
  // Machines list their states in the order of their life, so a transition to an earlier state is a way back.
  const ahead = pairs.filter(({ from, to }) => from < to);
  const back = pairs.filter(({ from, to }) => from > to);
  const before = nodes.map((_, node) => ahead.filter(({ to }) => to === node).map(({ from }) => from));
  const next = nodes.map((_, node) => ahead.filter(({ from }) => from === node).map(({ to }) => to));
  const sizes = nodes.map(({ box }): NodeSize => textBoxSize(box));
  const { width, boxes, arrows } = arrange({ before, next }, sizes);
  const backs = back.flatMap(({ from, to }): readonly { readonly points: readonly Point[] }[] => {
    const [start, end] = [boxes[from], boxes[to]];
    return start && end ? [{ points: curveBack(start, end) }] : [];
  });
  return svgDocument({
    title: `The machine "${chart.id}"`,
    description: nodes.map(({ box }) => `${[box.title, ...box.lines].join('; ')}.`).join(' '),
    width,
    height: heightOf(boxes, backs),
    body: [
      ...backs.map(({ points }) => arrowBack(points, false)),
      ...arrows.map(({ points }) => arrowThrough(points)),
      ...boxes.flatMap((box, at) => {
        const node = nodes[at];
        return node ? [textBox(box, node.box)] : [];
      }),
    ],
  });
}

// --- internal ---

interface Pair {
  readonly from: number;
  readonly to: number;
}

function boxOf({ name, type, isInitial, invokes, transitions }: ChartState): TextBox {
  return {
    title: name,
    lines: [
      ...(isInitial ? ['begins here'] : []),
      ...(type === 'final' ? ['ends here'] : []),
      ...invokes.map((one) => `does ${one}`),
      ...exitsOf(transitions).map(({ label, to }) => `${label} → ${to}`.trim()),
    ],
    tone: type === 'final' ? 'dim' : isInitial ? 'busy' : undefined,
  };
}

function anywhere({ transitions }: Statechart): TextBox {
  return {
    title: 'any state',
    lines: exitsOf(transitions).map(({ label, to }) => `${label} → ${to}`),
    tone: undefined,
  };
}
