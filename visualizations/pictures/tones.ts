/**
 * Colours of pictures, by the status of a phase. Each colour comes with a word, so no information is in the colour alone.
 *
 * @module
 */
import type { StandingTone } from './run-standing.ts';

/** The colours of one tone. */
export interface ToneColours {
  readonly fill: string;
  readonly line: string;
  readonly text: string;
}

/** All tones. */
export const tones = ['good', 'busy', 'warn', 'bad', 'dim'] as const satisfies readonly StandingTone[];

/** Colours on a light background, and in pictures with their own background. */
export const toneColours: Readonly<Record<StandingTone, ToneColours>> = {
  good: { fill: '#dafbe1', line: '#1a7f37', text: '#1f2328' },
  busy: { fill: '#ddf4ff', line: '#0969da', text: '#1f2328' },
  warn: { fill: '#fff8c5', line: '#9a6700', text: '#1f2328' },
  bad: { fill: '#ffebe9', line: '#cf222e', text: '#1f2328' },
  dim: { fill: '#f6f8fa', line: '#6e7781', text: '#57606a' },
};

/** Colours on a dark background. */
export const darkToneColours: Readonly<Record<StandingTone, ToneColours>> = {
  good: { fill: '#12261e', line: '#3fb950', text: '#e6edf3' },
  busy: { fill: '#121d2f', line: '#58a6ff', text: '#e6edf3' },
  warn: { fill: '#272115', line: '#d29922', text: '#e6edf3' },
  bad: { fill: '#2d1517', line: '#f85149', text: '#e6edf3' },
  dim: { fill: '#161b22', line: '#8b949e', text: '#9198a1' },
};
