/**
 * The pipeline for the command line, with a model that always has the same ideas.
 *
 * @module
 */
import { article } from './article.ts';

export default article({
  ask: (prompt) => Promise.resolve(prompt.startsWith('Answer') ? 'OK' : 'Gates open\nGates stay closed\nPeople decide'),
  send: () => Promise.resolve(),
});
