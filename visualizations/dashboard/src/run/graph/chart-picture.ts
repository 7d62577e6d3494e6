/**
 * A machine as boxes and arrows, small enough to stand beside other things: the ways out are told elsewhere.
 *
 * @module
 */
import { arrange, curveBack, heightOf, type Box, type Point } from '../../../../layout/arrange.ts';
import type { Statechart } from '../../../../statechart/statechart.ts';
import { ANYWHERE, waysOf } from '../../../../statechart/statechart-ways.ts';
import { widthInCharacters } from '../../../../layout/text-size.ts';

/** A state in its place. */
export interface ChartBox extends Box {
  readonly name: string;
  readonly isFinal: boolean;
}

/** An arrow between two states. */
export interface ChartArrow {
  readonly from: string;
  readonly to: string;
  /** What leads there. */
  readonly labels: readonly string[];
  /** Data of an SVG path. */
  readonly path: string;
}

/** A machine, drawn. */
export interface ChartPicture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly ChartBox[];
  readonly arrows: readonly ChartArrow[];
}

/** Draws a machine. What leads from any state to one is left out. */
export function pictureOf(chart: Statechart): ChartPicture {
  const { states } = chart;
  const indexOf = new Map(states.map(({ name }, index) => [name, index]));
  const ways = waysOf(chart).flatMap((way) => {
    const [start, end] = [indexOf.get(way.from), indexOf.get(way.to)];
    return way.from === ANYWHERE || start === undefined || end === undefined || start === end
      ? []
      : [{ ...way, start, end }];
  });
  // Machines tell their states in the order of their life, so what leads to an earlier one leads back.
  const ahead = ways.filter(({ start, end }) => start < end);
  const before = states.map((_, node) => ahead.filter(({ end }) => end === node).map(({ start }) => start));
  const next = states.map((_, node) => ahead.filter(({ start }) => start === node).map(({ end }) => end));
  const sizes = states.map(({ name }) => ({ width: widthInCharacters(name) * 8.5 + 22, height: HEIGHT }));
  const { width, boxes, arrows } = arrange({ before, next }, sizes);
  const labelsOf = (from: number, to: number) =>
    ways.find(({ start, end }) => start === from && end === to)?.labels ?? [];
  const backs = ways.flatMap(({ start, end, from, to, labels }) => {
    const [one, other] = [boxes[start], boxes[end]];
    return start > end && one && other ? [{ from, to, labels, points: curveBack(one, other) }] : [];
  });
  return {
    width,
    height: heightOf(boxes, backs),
    boxes: boxes.flatMap((box, at) => {
      const state = states[at];
      return state ? [{ ...box, name: state.name, isFinal: state.type === 'final' }] : [];
    }),
    arrows: [
      ...arrows.map(({ from, to, points }) => ({
        from: states[from]?.name ?? '',
        to: states[to]?.name ?? '',
        labels: labelsOf(from, to),
        path: `M${points.map(({ x, y }) => `${x},${y}`).join(' L')}`,
      })),
      ...backs.map(({ from, to, labels, points }) => ({ from, to, labels, path: curveOf(points) })),
    ],
  };
}

// --- internal ---

const HEIGHT = 32;

function curveOf([start, one, two, end]: readonly Point[]): string {
  return start && one && two && end
    ? `M${start.x},${start.y} C${one.x},${one.y} ${two.x},${two.y} ${end.x},${end.y}`
    : '';
}
