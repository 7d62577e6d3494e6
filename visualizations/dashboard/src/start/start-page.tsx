/**
 * The page that starts runs.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiPipeline } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { counted } from '../parts/words.ts';
import { hashOf, type Route } from '../route.ts';
import { StartForm } from './start-form.tsx';
import './start.css';

/** The pipelines of the server, and the form of one of them. */
export function StartPage({ route }: { readonly route: Extract<Route, { readonly page: 'start' }> }): ReactNode {
  const asked = useAsked<{ readonly pipelines: readonly UiPipeline[] }>('/api/pipelines');
  const pipelines = 'value' in asked ? asked.value?.pipelines : undefined;
  return (
    <>
      <h1>Start a run</h1>
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {asked.state === 'loading' ? <p className="quiet">Loading…</p> : null}
      {pipelines ? <Pipelines all={pipelines} wanted={route.pipeline} /> : null}
    </>
  );
}

// --- internal ---

function Pipelines({ all, wanted }: { readonly all: readonly UiPipeline[]; readonly wanted: string }): ReactNode {
  const [first] = all;
  if (first === undefined) {
    return (
      <p className="quiet">
        This dashboard starts no runs of yours. Name pipelines at its start: <code>phasegate ui pipeline.ts</code>
      </p>
    );
  }
  const chosen = all.find(({ name }) => name === wanted) ?? (wanted === '' ? first : undefined);
  return (
    <div className="start">
      <nav aria-label="Pipelines">
        <ul>
          {all.map((one) => (
            <li key={one.name}>
              <a
                href={hashOf({ page: 'start', pipeline: one.name })}
                aria-current={one === chosen ? 'true' : undefined}
              >
                <bdi>{startOf(one.name, 80)}</bdi>
              </a>{' '}
              <span className="quiet">{counted(one.phases, 'phase')}</span>
            </li>
          ))}
        </ul>
      </nav>
      {chosen ? (
        <StartForm key={chosen.name} pipeline={chosen} />
      ) : (
        <p>This dashboard has no pipeline with the name {startOf(wanted, 80)}.</p>
      )}
    </div>
  );
}
