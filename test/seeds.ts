/**
 * The default seed of properties. It is constant, so that a commit passes its tests always or never.
 *
 * `PHASEGATE_SEED`, a number or `random`, replaces it. A failure prints the seed that reproduces it.
 *
 * @module
 */
import fc from 'fast-check';

const seed = process.env['PHASEGATE_SEED'] ?? '1';
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
