/**
 * The pipeline for the command line. A second of the agents takes 20 milliseconds.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { userManagement } from './users.ts';

export default userManagement({ wait: (ms) => setTimeout(ms / 50) });
