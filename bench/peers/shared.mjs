/**
 * The work and the engine of `npm run bench`, which are TypeScript.
 *
 * @module
 */
import { createJiti } from 'jiti';

const jiti = createJiti(import.meta.url);

export const { attemptsOf, calls, chain, fanOut, review, work } = await jiti.import('../work.ts');
export const { phasegate, pipelineOf } = await jiti.import('../engines.ts');

/** Functions that make a shape of a number of phases, by its name. */
export const SHAPES = { chain, 'fan-out': fanOut };
