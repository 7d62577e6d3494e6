/**
 * The work as a graph of LangGraph.js: two nodes for each phase, and a conditional edge back for a demand.
 *
 * @module
 */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { review, work } from './work.mjs';

/** The output of the latest phase. Parallel phases may write it. */
const State = Annotation.Root({ value: Annotation({ reducer: (_, next) => next, default: () => 0 }) });

/** Creates the engine for a shape. @param file A database for checkpoints; none for a run in memory. */
export function langgraph({ after }, file) {
  const graph = new StateGraph(State);
  // Outside of the state, in favour of LangGraph: it copies what a reducer returns.
  const attempts = after.map(() => 0);
  const isApproved = after.map(() => false);
  after.forEach((_, index) => {
    graph.addNode(`work${index}`, async ({ value }) => ({ value: await work(index, attempts[index], value) }));
    graph.addNode(`review${index}`, async ({ value }) => {
      isApproved[index] = (await review(index, attempts[index])) === 'APPROVE';
      attempts[index] += 1;
      return { value };
    });
    graph.addEdge(`work${index}`, `review${index}`);
  });
  const next = after.map(() => []);
  after.forEach((sources, index) => {
    if (sources.length === 0) graph.addEdge(START, `work${index}`);
    for (const source of sources) next[source].push(`work${index}`);
  });
  after.forEach((_, index) => {
    const onward = next[index].length > 0 ? next[index] : [END];
    graph.addConditionalEdges(`review${index}`, () => (isApproved[index] ? onward : [`work${index}`]), [
      `work${index}`,
      ...onward,
    ]);
  });
  const app = graph.compile(file === undefined ? {} : { checkpointer: SqliteSaver.fromConnString(file) });
  let runs = 0;
  return async () => {
    attempts.fill(0);
    await app.invoke(
      {},
      { recursionLimit: 1_000_000, configurable: { thread_id: String(runs++) }, durability: 'sync' },
    );
  };
}
