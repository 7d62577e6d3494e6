/**
 * The seed of every property that names none: the same one at each run, so that a commit passes its tests always or never.
 *
 * `PHASEGATE_SEED` is another one, a number or `random`. A failure names the seed that finds it again.
 *
 * @module
 */
import fc from 'fast-check';

const seed = process.env['PHASEGATE_SEED'] ?? '1';
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
