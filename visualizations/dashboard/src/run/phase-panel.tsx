/**
 * All about one phase, beside the views of its run.
 *
 * @module
 */
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { startOf } from '../parts/foreign-text.ts';
import { StandingBadge } from '../parts/standing.tsx';
import type { TabProps } from './tab.ts';

interface PhasePanelProps extends TabProps {
  readonly phase: string;
  readonly close: () => void;
}

/** The panel of a phase. */
export function PhasePanel({ phase, story, close }: PhasePanelProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const result = story.snapshot.phases[phase];
  useEffect(() => {
    // Who opens the page there has not asked for the panel.
    if (document.activeElement !== document.body) heading.current?.focus();
  }, []);
  useEscape(close);
  return (
    <aside className="phase-panel" aria-label={`Phase ${startOf(phase, 80)}`}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {startOf(phase, 120)}
        </h2>
        {result ? <StandingBadge of={result.status} /> : null}
        <button type="button" title="Escape" onClick={close}>
          Close
        </button>
      </header>
    </aside>
  );
}

// --- internal ---

/** Whatever has the focus, unless it is a question that stands above all else, or has a use for the key. */
function useEscape(close: () => void): void {
  const act = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) close();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => act(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
