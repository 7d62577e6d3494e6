/**
 * The pipeline for the command line. A second of the team takes 50 milliseconds.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { launch } from './launch.ts';

export default launch({ wait: (ms) => setTimeout(ms / 20) });
