import { modelOf } from '../model.ts';
import { article } from './article.ts';
import { models } from './models.ts';
import { people } from './people.ts';

const model = modelOf(process.env);

/** With OPENAI_API_KEY models do the work, else functions. */
export default article(model ? models(model) : people);
