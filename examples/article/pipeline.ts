import { modelOf } from '../model.ts';
import { article } from './article.ts';
import { models } from './models.ts';
import { people } from './people.ts';

const model = modelOf(process.env);

/** The pipeline with models if OPENAI_API_KEY is set, else with functions. */
export default article(model ? models(model) : people);
