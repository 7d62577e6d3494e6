/**
 * The work as a graph of LangGraph.js: two nodes for each phase, of which the second says where to go.
 *
 * @module
 */
import { Annotation, Command, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { review, work } from './shared.mjs';

/** The output of the latest phase. Parallel phases may write it. */
const State = Annotation.Root({ value: Annotation({ reducer: (_, next) => next, default: () => 0 }) });

/** Creates the engine for a shape. @param place A database for checkpoints; none for a run in memory. */
export function create({ after }, { file }) {
  const graph = new StateGraph(State);
  // Outside of the state, in favour of LangGraph: it copies what a reducer returns.
  const attempts = after.map(() => 0);
  const next = after.map(() => []);
  after.forEach((sources, index) => {
    for (const source of sources) next[source].push(`work${index}`);
  });
  after.forEach((sources, index) => {
    const onward = next[index].length > 0 ? next[index] : [END];
    graph.addNode(`work${index}`, async ({ value }) => ({ value: await work(index, attempts[index], value) }));
    graph.addNode(
      `review${index}`,
      async () => {
        const verdict = await review(index, attempts[index]);
        attempts[index] += 1;
        return new Command({ goto: verdict === 'APPROVE' ? onward : [`work${index}`] });
      },
      { ends: [`work${index}`, ...onward] },
    );
    graph.addEdge(`work${index}`, `review${index}`);
    if (sources.length === 0) graph.addEdge(START, `work${index}`);
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
