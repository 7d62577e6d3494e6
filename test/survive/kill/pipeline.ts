/**
 * A pipeline with every kind of state that a kill can interrupt. Its tasks leave traces that survive a kill.
 *
 * @module
 */
import { fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import {
  approve,
  definePipeline,
  escalate,
  phase,
  retry,
  retryPredecessor,
  task,
  type Pipeline,
  type TaskContext,
} from '../../../src/index.ts';

/** Side effects: each start of a task appends a line, which is on disk before the task continues. */
export interface Effects {
  note(key: string): void;
  /** Returns the number of starts of a task in all processes. */
  count(key: string): number;
}

export function effectsIn(file: string): Effects {
  const fd = openSync(file, 'a');
  return {
    note(key) {
      writeSync(fd, `${key}\n`);
      fsyncSync(fd);
    },
    count: (key) => linesOf(file).filter((line) => line === key).length,
  };
}

/** Returns the keys of started tasks, in order. */
export function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

/**
 * A pipeline with retries, a rewind, a question to a person, parallel branches, a flaky task, large outputs, and few
 * slots.
 */
export function survivor(effects: Effects): Pipeline {
  const work = (name: string, ms: number, output: (context: TaskContext) => unknown) =>
    task(name, {
      async run(context: TaskContext) {
        effects.note(context.idempotencyKey);
        if (ms > 0) await setTimeout(ms);
        return output(context);
      },
    });
  return definePipeline({
    name: 'survivor',
    concurrency: 2,
    phases: [
      phase('plan', {
        tasks: [work('think', 1, ({ attempt }) => `plan ${attempt}`)],
        review: ({ attempt }) => (attempt < 2 ? retry(`say more than in ${attempt}`) : approve()),
      }),
      phase('research', {
        after: ['plan'],
        tasks: [
          task('dig', {
            retry: { attempts: 5, backoff: { first: 4, factor: 1, max: 4 } },
            async run({ idempotencyKey, generation, attempt }) {
              effects.note(idempotencyKey);
              if (effects.count(idempotencyKey) < 3) throw new Error('the shovel broke');
              return { found: `${generation}.${attempt}`, all: 'earth '.repeat(7000) };
            },
          }),
        ],
      }),
      phase('survey', {
        after: ['plan'],
        mode: 'parallel',
        tasks: [
          work('north', 6, () => 'n'),
          work('south', 0, ({ generation }) => `s${generation}`),
          work('west', 3, () => 'w'),
        ],
      }),
      ...['red', 'green', 'blue'].map((name) =>
        phase(name, { after: ['plan'], tasks: [work('paint', 2, () => name.repeat(6000))] }),
      ),
      phase('merge', {
        after: ['research', 'survey'],
        tasks: [
          work('collect', 2, ({ inputs }) => Object.keys(inputs).toSorted()),
          task('write', {
            after: ['collect'],
            run({ idempotencyKey, inputs, generation }) {
              effects.note(idempotencyKey);
              const { dig } = inputs['research'] as { readonly dig: { readonly found: string } };
              return { found: dig.found, generation, text: 'text '.repeat(5000) };
            },
          }),
        ],
        review: {
          maxPredecessorRetries: 2,
          by: ({ outputs }) => {
            const { found } = outputs['write'] as { found: string };
            return found.startsWith('0') ? retryPredecessor('research', 'dig deeper') : approve();
          },
        },
      }),
      phase('sign', {
        after: ['merge'],
        tasks: [work('seal', 1, () => 'sealed')],
        review: () => escalate('a person has to sign'),
      }),
      phase('publish', {
        after: ['sign', 'survey'],
        tasks: [work('print', 2, ({ inputs }) => ({ ...inputs['sign'], pages: 'page '.repeat(4000) }))],
        review: ({ attempt }) => (attempt === 0 ? retry('print it again') : approve()),
      }),
    ],
  });
}
