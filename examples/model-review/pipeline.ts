import { announcement } from './announcement.ts';
import { understudy } from './understudy.ts';

const model = process.env['EXAMPLE_MODEL'];

/** The pipeline with the model that EXAMPLE_MODEL names, else with a function that plays a model. */
export default announcement(model ? { model } : { ask: understudy });
