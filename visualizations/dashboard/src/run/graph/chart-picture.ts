/**
 * A statechart as boxes and arrows. Triggers are not drawn, to keep it small. The view lists them as text.
 *
 * @module
 */
import { arrange, curveBack, heightOf, type Box, type Point } from '../../../../layout/arrange.ts';
import type { Statechart } from '../../../../statechart/statechart.ts';
import { ANYWHERE, waysOf } from '../../../../statechart/statechart-ways.ts';
import { widthInCharacters } from '../../../../layout/text-size.ts';

/** A state with its position. */
export interface ChartBox extends Box {
  readonly name: string;
  readonly isFinal: boolean;
}

/** An arrow between two states. */
export interface ChartArrow {
  readonly from: string;
  readonly to: string;
  /** The triggers of the transitions. */
  readonly labels: readonly string[];
  /** Data of an SVG path. */
  readonly path: string;
}

/** A statechart with all positions. */
export interface ChartPicture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly ChartBox[];
  readonly arrows: readonly ChartArrow[];
}

/** Lays out a statechart. It leaves out transitions that are possible in any state. */
export function pictureOf(chart: Statechart): ChartPicture {
  const { states } = chart;
  const indexOf = new Map(states.map(({ name }, index) => [name, index]));
  const ways = waysOf(chart).flatMap((way) => {
    const [start, end] = [indexOf.get(way.from), indexOf.get(way.to)];
    return way.from === ANYWHERE || start === undefined || end === undefined || start === end
      ? []
      : [{ ...way, start, end }];
  });
  // Machines list their states in the order of their life, so a transition to an earlier state is a way back.
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
