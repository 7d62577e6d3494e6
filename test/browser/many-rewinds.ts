/**
 * A pipeline of 40 phases, each of which may send back all phases before it.
 *
 * @module
 */
import type { Pipeline } from '../../src/index.ts';
import { fake, type Fake } from '../rig.ts';
import { pipelineOf } from './runs.ts';

/** The number of phases. */
export const PHASES = 40;

/**
 * Creates the pipeline. Its phases are in ten columns of four, and each follows two of the column before. Some also follow a
 * phase far before. Three phases send others back, one of them twice, and one of them two others.
 */
export function manyRewinds(): Pipeline<unknown> {
  const phases = Array.from({ length: PHASES }, (_, at) => phaseAt(at));
  return pipelineOf('many rewinds', phases);
}

/** The name of a phase. @param at The index, from 0. */
export function nameOf(at: number): string {
  return `phase ${String(at).padStart(2, '0')}`;
}

// --- internal ---

const ROWS = 4;

/** The answers of gates, by the index of the phase; the others approve. */
const VERDICTS: Readonly<Record<number, readonly string[]>> = {
  9: [`RETRY_PREDECESSOR ${nameOf(1)}: more`, `RETRY_PREDECESSOR ${nameOf(1)}: still more`],
  22: [`RETRY_PREDECESSOR ${nameOf(6)}: name sources`, `RETRY_PREDECESSOR ${nameOf(18)}: shorter`],
  35: [`RETRY_PREDECESSOR ${nameOf(15)}: again`],
};

function phaseAt(at: number): Fake {
  const row = at % ROWS;
  const before = at - row - ROWS;
  const near = before < 0 ? [] : [before + row, before + ((row + 1) % ROWS)];
  const far = at % 7 === 0 && before >= 4 * ROWS ? [row] : [];
  return fake(nameOf(at), {
    after: [...near, ...far].map(nameOf),
    verdicts: VERDICTS[at] ?? ['APPROVE'],
    maxPredecessorRetries: 3,
    rewindTo: 'ancestors',
  });
}
