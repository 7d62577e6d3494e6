/**
 * The statechart of a phase, with its current state.
 *
 * @module
 */
import { type ReactNode, useId, useMemo } from 'react';
import type { Charts } from '../../../../../src/server/api.ts';
import { exitsOf } from '../../../../statechart/statechart-ways.ts';
import type { Statechart } from '../../../../statechart/statechart.ts';
import { useAsked } from '../../data/ask.ts';
import { pictureOf } from './chart-picture.ts';
import { SCROLLED } from '../../parts/scrolled.ts';

/** A statechart. All runs share the machine of phases, so it is read once. */
export function PhaseChart({ state }: { readonly state: string | null }): ReactNode {
  const asked = useAsked<Charts>('/api/charts');
  const chart = 'value' in asked ? asked.value?.phase : undefined;
  if (!chart) return asked.state === 'loading' ? <p className="quiet">Loading…</p> : <NoChart state={state} />;
  return <Chart chart={chart} state={state} />;
}

// --- internal ---

interface ChartProps {
  readonly chart: Statechart;
  readonly state: string | null;
}

function Chart({ chart, state }: ChartProps): ReactNode {
  const arrowhead = useId();
  const { width, height, boxes, arrows } = useMemo(() => pictureOf(chart), [chart]);
  const current = chart.states.find(({ name }) => name === state);
  const exits = [
    ...exitsOf(current?.transitions ?? []),
    ...(current && current.type !== 'final' ? exitsOf(chart.transitions) : []),
  ];
  return (
    <>
      <div className="chart-box" {...SCROLLED}>
        <svg className="chart" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <defs>
            <marker id={arrowhead} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
              <path d="M0,0 L8,4 L0,8 Z" />
            </marker>
          </defs>
          {arrows.map(({ from, to, labels, path }) => (
            <path
              key={`${from} ${to}`}
              className={from === state ? 'way possible' : 'way'}
              d={path}
              markerEnd={`url(#${arrowhead})`}
            >
              <title>{`${from} to ${to}: ${labels.join(', ')}`}</title>
            </path>
          ))}
          {boxes.map(({ name, x, y, width: wide, height: high, isFinal }) => (
            <g key={name} className={`state${name === state ? ' current' : ''}${isFinal ? ' final' : ''}`}>
              <rect x={x - wide / 2} y={y - high / 2} width={wide} height={high} rx={isFinal ? 16 : 5} />
              <text x={x} y={y}>
                {name}
              </text>
            </g>
          ))}
        </svg>
      </div>
      <p className="chart-now">{nowWords(state)}.</p>
      {exits.length === 0 ? null : (
        <details>
          <summary>{exits.length} ways on from here, in the order in which they are tried</summary>
          <ol className="exits">
            {exits.map(({ label, to }) => (
              <li key={`${label} ${to}`}>
                <code>{label}</code> → {to}
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

function NoChart({ state }: Pick<ChartProps, 'state'>): ReactNode {
  return <p>{nowWords(state)}.</p>;
}

function nowWords(state: string | null): string {
  return state === null ? 'No machine of this phase is there now' : `The machine is in the state ${state}`;
}
