/**
 * A machine in the DOT language of Graphviz.
 *
 * @module
 */
import { dotText } from '../pictures/dot.ts';
import { ANYWHERE, waysOf } from './statechart-ways.ts';
import type { Statechart } from './statechart.ts';

/** Draws a machine: its states with the actors that they invoke, and arrows with their triggers. */
export function chartToDot(chart: Statechart): string {
  const { states } = chart;
  const ways = waysOf(chart);
  const ids = new Map([[ANYWHERE, 'anywhere'], ...states.map(({ name }, at): [string, string] => [name, `s${at}`])]);
  const id = (name: string): string => ids.get(name) ?? 'anywhere';
  const lines = [
    `digraph ${dotText([chart.id])} {`,
    '  graph [rankdir=LR, fontname="Helvetica"];',
    '  node [shape=box, style=rounded, fontname="Helvetica"];',
    '  edge [fontname="Helvetica", fontsize=10];',
    '  start [shape=point, width=0.2];',
    ...(ways.some(({ from }) => from === ANYWHERE) ? ['  anywhere [style="rounded,dashed", label="any state"];'] : []),
    ...states.map(({ name, type, invokes }) => {
      const label = dotText([name, ...invokes.map((one) => `does ${one}`)]);
      return `  ${id(name)} [${type === 'final' ? 'peripheries=2, ' : ''}label=${label}];`;
    }),
    ...states.filter(({ isInitial }) => isInitial).map(({ name }) => `  start -> ${id(name)};`),
    ...ways.map(({ from, to, labels }) => `  ${id(from)} -> ${id(to)} [label=${dotText(labels)}];`),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
