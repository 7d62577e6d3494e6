/**
 * The pipeline as the command line runs it: a second of the team takes 50 milliseconds.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { launch } from './launch.ts';

export default launch({ wait: (ms) => setTimeout(ms / 20) });
