/** Version 2 of the pipeline, for `phasegate work`. */
import { essay } from './essay.ts';

export const pipeline = essay('2');
