/**
 * Recordings of phases that are sent back by later ones, and of what that means for others.
 *
 * @module
 */
import {
  approve,
  definePipeline,
  needsRework,
  phase,
  requestChanges,
  retryPredecessor,
  task,
} from '../../../src/index.ts';
import type { Stage } from '../recording.ts';
import { recording } from '../recording.ts';

/** The part of its context that a handler or a reviewer uses here. */
interface Seen {
  readonly attempt: number;
  readonly generation: number;
  readonly inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Returns how often the phase was sent back, and its inputs. */
const versions = ({ attempt, generation, inputs }: Seen) => [generation, attempt, { ...inputs }];

/** Returns how often a phase had been sent back when it was committed. */
function generationOf(inputs: Seen['inputs'], name: string): number {
  const output = inputs[name]?.['t'];
  return Array.isArray(output) ? Number(output[0]) : 0;
}

/**
 * ```text
 *  plan ──▶ design ──▶ code ──▶ test ──▶ ship
 *   ▲         ▲ └───────────────┘ once     │
 *   └─────────┴── riders ──────────────────┘ once, both
 * ```
 */
const levels = recording({
  name: 'levels',
  pipeline: () =>
    definePipeline({
      name: 'levels',
      policy: { rewindTo: 'ancestors', invalidate: 'all' },
      phases: [
        phase('plan', { tasks: [task('t', { run: versions })] }),
        phase('design', { after: ['plan'], tasks: [task('t', { run: versions })] }),
        phase('code', {
          after: ['design'],
          tasks: [task('t', { run: versions })],
          review: ({ attempt, generation }) => (attempt + generation === 0 ? 'RETRY: Compile it first.' : 'APPROVE'),
        }),
        phase('test', {
          after: ['code'],
          tasks: [task('t', { run: versions })],
          review: {
            by: ({ inputs }) =>
              generationOf(inputs, 'design') === 0
                ? retryPredecessor('design', 'It cannot be tested.', { requiredChange: 'Split it.' })
                : approve(),
            rewindTo: 'ancestors',
          },
        }),
        phase('ship', {
          after: ['test'],
          tasks: [task('t', { run: versions })],
          review: ({ inputs }) =>
            generationOf(inputs, 'plan') === 0
              ? requestChanges([
                  { id: 'date', severity: 'high', description: 'The date is past.', affectedPhase: 'plan' },
                  { id: 'logo', severity: 'low', description: 'The logo is old.', affectedPhase: 'design' },
                  { id: 'name', severity: 'medium', description: 'The name is taken.', affectedPhase: 'ship' },
                ])
              : approve(),
        }),
      ],
    }),
});

/** A task that cannot work with what it is given, one that may not say so, and a gate that is not asked again. */
const rework = recording({
  name: 'rework',
  pipeline: () =>
    definePipeline({
      name: 'rework',
      phases: [
        phase('list', { tasks: [task('t', { run: versions })], review: () => approve() }),
        phase('sum', {
          after: ['list'],
          tasks: [
            task('t', {
              run: (seen: Seen) => {
                if (generationOf(seen.inputs, 'list') === 0) throw needsRework('list', 'List a number.');
                return versions(seen);
              },
            }),
          ],
          review: { by: () => approve(), regate: false },
        }),
        phase('ungated', {
          after: ['list'],
          tasks: [
            task('t', {
              run: ({ prompt, revision }) => {
                throw needsRework('list', `${prompt.length} ${revision?.attempt ?? 'no'} numbers.`);
              },
            }),
          ],
        }),
      ],
    }),
});

/** The same two rewinds take turns, until that is a loop. */
const turns = recording({
  name: 'turns',
  pipeline: () =>
    definePipeline({
      name: 'turns',
      policy: { maxPredecessorRetries: 9, rewindTo: 'ancestors' },
      phases: [
        phase('one', { tasks: [task('t', { run: versions })] }),
        phase('two', { after: ['one'], tasks: [task('t', { run: versions })] }),
        phase('three', {
          after: ['two'],
          tasks: [task('t', { run: versions })],
          review: {
            by: ({ inputs }) => {
              const [one, two] = [generationOf(inputs, 'one'), generationOf(inputs, 'two')];
              return one + two === 0 || two > one * 2
                ? retryPredecessor('one', `Less, ${one}.`)
                : retryPredecessor('two', `More, ${two}.`);
            },
            rewindTo: 'ancestors',
          },
        }),
      ],
    }),
});

/**
 * `source` is sent back once by `last`, whose gate says `changed`: `spared` reads a task that stays as it is, `again`
 * one that does not, and `far` asks for it past a phase between.
 */
const cutoff = recording({
  name: 'cutoff',
  isLoose: true,
  pipeline: () =>
    definePipeline({
      name: 'cutoff',
      phases: [
        phase('source', {
          tasks: [task('same', { run: () => 'the same' }), task('other', { run: ({ attempt }) => `other ${attempt}` })],
        }),
        phase('spared', { after: ['source'], tasks: [task('t', { run: ({ inputs }) => inputs['source']?.['same'] })] }),
        phase('again', { after: ['source'], tasks: [task('t', { run: ({ inputs }) => inputs['source']?.['other'] })] }),
        phase('far', {
          after: ['spared'],
          tasks: [task('t', { run: ({ inputs }) => [inputs['spared']?.['t'], inputs['source']?.['other']] })],
        }),
        phase('last', {
          after: ['source'],
          tasks: [task('t', { run: ({ inputs, wait }) => wait(10).then(() => inputs['source']?.['other']) })],
          review: {
            by: ({ outputs }) => (outputs.t === 'other 0' ? retryPredecessor('source', 'Another.') : approve()),
            invalidate: 'changed',
            rewindTo: ['source'],
          },
        }),
      ],
    }),
});

/** The demand is that of one phase alone: what others have read is older from then on. */
const stale = recording({
  name: 'stale',
  pipeline: () =>
    definePipeline({
      name: 'stale',
      phases: [
        phase('source', { tasks: [task('t', { run: versions })] }),
        phase('reader', { after: ['source'], tasks: [task('t', { run: versions })] }),
        phase('sender', {
          after: ['source'],
          tasks: [task('t', { run: ({ wait, inputs }) => wait(10).then(() => generationOf(inputs, 'source')) })],
          review: ({ outputs }) => (outputs.t === 0 ? retryPredecessor('source', 'Newer.') : approve()),
        }),
      ],
    }),
});

/** Work that goes on although it was told to stop: what it puts out is dropped, what it used counts. */
const dropped = recording({
  name: 'dropped',
  pipeline: ({ clock }: Stage) =>
    definePipeline({
      name: 'dropped',
      phases: [
        phase('source', { tasks: [task('t', { run: versions })] }),
        phase('deaf', {
          after: ['source'],
          tasks: [
            task('t', {
              run: async (seen) => {
                const { report } = seen;
                if (seen.generation === 0) await new Promise<void>((resolve) => void clock.setTimeout(resolve, 2000));
                report({ tokens: 5, costUsd: 0.5 });
                return versions(seen);
              },
            }),
          ],
        }),
        phase('sender', {
          after: ['source'],
          tasks: [task('t', { run: ({ wait, inputs }) => wait(1000).then(() => generationOf(inputs, 'source')) })],
          review: {
            by: ({ outputs }) => (outputs.t === 0 ? retryPredecessor('source', 'Newer.') : approve()),
            invalidate: 'all',
          },
        }),
      ],
    }),
});

/** Two tasks, of which a review names one: only that one works again. */
const named = recording({
  name: 'named-task',
  pipeline: () =>
    definePipeline({
      name: 'named-task',
      phases: [
        phase('write', {
          tasks: (make) =>
            ['api', 'ui'].map((name) =>
              make(name, {
                run: ({ attempt, revision, task: own }): string =>
                  revision?.issues?.some((issue) => issue.affectedTask === own) === false
                    ? String(revision.previousOutput)
                    : `${own} ${attempt}`,
              }),
            ),
          review: ({ attempt }) =>
            attempt === 0
              ? requestChanges([{ severity: 'high', description: 'It has no tests.', affectedTask: 'ui' }])
              : approve(),
        }),
      ],
    }),
});

export const back = [levels, rework, turns, cutoff, stale, dropped, named];
