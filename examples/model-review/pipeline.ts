import { announcement } from './announcement.ts';
import { understudy } from './understudy.ts';

const model = process.env['EXAMPLE_MODEL'];

/** With EXAMPLE_MODEL a model of that name is asked, else a function plays it. */
export default announcement(model ? { model } : { ask: understudy });
