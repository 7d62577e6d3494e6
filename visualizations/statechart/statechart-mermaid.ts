/**
 * A machine as a Mermaid state diagram.
 *
 * @module
 */
import { mermaidText } from '../pictures/mermaid.ts';
import { ANYWHERE, waysOf } from './statechart-ways.ts';
import type { Statechart } from './statechart.ts';

/** Draws a machine: its states with the actors that they invoke, and arrows with their triggers. */
export function chartToMermaid(chart: Statechart): string {
  const { states } = chart;
  const ways = waysOf(chart);
  const ids = new Map([
    [ANYWHERE, 'anywhere'],
    ...states.map(({ name }, at): [string, string] => [name, idOf(name, at)]),
  ]);
  const id = (name: string): string => ids.get(name) ?? 'anywhere';
  const lines = [
    'stateDiagram-v2',
    ...(ways.some(({ from }) => from === ANYWHERE) ? ['  state "any state" as anywhere'] : []),
    ...states.flatMap(({ name, invokes }) =>
      invokes.length === 0 && id(name) === name
        ? []
        : [`  ${id(name)}: ${[name, ...invokes.map((one) => `does ${one}`)].map(mermaidText).join('<br/>')}`],
    ),
    ...states.filter(({ isInitial }) => isInitial).map(({ name }) => `  [*] --> ${id(name)}`),
    ...ways.map(({ from, to, labels }) => {
      const text = labels
        .filter((label) => label !== '')
        .map(mermaidText)
        .join('<br/>');
      return `  ${id(from)} --> ${id(to)}${text === '' ? '' : `: ${text}`}`;
    }),
    ...states.filter(({ type }) => type === 'final').map(({ name }) => `  ${id(name)} --> [*]`),
  ];
  return `${lines.join('\n')}\n`;
}

// --- internal ---

/** The id of a state: its name, if that cannot be a keyword of Mermaid. */
function idOf(name: string, at: number): string {
  return /^[a-z]{2,}(?:ing|ed)$/u.test(name) ? name : `s${at}`;
}
