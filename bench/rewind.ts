/**
 * Benchmark of a rewind from the last phase of a chain to the first: all phases run again.
 *
 * @module
 */
import { definePipeline, phase, startRun, task } from 'phasegate';
import type { Engine } from './engines.ts';
import { cpuMicros, growth } from './measure.ts';

/** Prints the table as Markdown. */
export async function benchRewind(sizes: readonly number[] = [1250, 2500, 5000, 10_000]): Promise<void> {
  console.log('\n| rewind from the last to the first phase, phases | µs per attempt | growth exponent |');
  console.log('| ---: | ---: | ---: |');
  const taken: number[] = [];
  for (const size of sizes) {
    // Runs one after the other, as parallel runs would disturb each other.
    taken.push(await cpuMicros(backToTheFirst(size), 3, Math.max(1, Math.round(5000 / size))));
    const exponent = taken.length > 1 ? growth(sizes.slice(0, taken.length), taken).toFixed(2) : '';
    console.log(`| ${size} | ${((taken.at(-1) ?? 0) / (2 * size)).toFixed(1)} | ${exponent} |`);
  }
}

// --- internal ---

/** Creates a chain whose last phase sends back the first one, once. */
function backToTheFirst(count: number): Engine {
  let asked = 0;
  const pipeline = definePipeline({
    name: 'back',
    phases: Array.from({ length: count }, (_, index) =>
      phase(`p${index}`, {
        after: index === 0 ? [] : [`p${index - 1}`],
        tasks: [task('work', { run: () => index })],
        ...(index === count - 1 && {
          review: {
            rewindTo: ['p0'],
            by: () => {
              asked += 1;
              return asked % 2 === 1 ? 'RETRY_PREDECESSOR p0: again' : 'APPROVE';
            },
          },
        }),
      }),
    ),
  });
  return async () => {
    const { status } = await startRun(pipeline).result;
    if (status !== 'completed') throw new Error(`The run ended ${status}`);
  };
}
