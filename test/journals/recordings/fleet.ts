/**
 * Recordings of fleets: pipelines as compiled plans are, whose agents are functions.
 *
 * @module
 */
import {
  approve,
  definePipeline,
  phase,
  policies,
  requestChanges,
  task,
  type TaskContext,
} from '../../../src/index.ts';
import type { AnyPhase } from '../../../src/model/handlers/phase.ts';
import { recording } from '../recording.ts';

/** A level that starts from a commit. One of its subtasks may keep its work, in which case it reads no prompt. */
function level(number: number, ids: readonly string[], before: AnyPhase | undefined): AnyPhase {
  const name = `phase-${number}`;
  return phase(name, {
    after: before ? [before] : [],
    tasks: [
      task('base', { run: () => ({ base: `c${number - 1}`, notes: [] }) }),
      ...ids.map((id) =>
        task(id, {
          description: `Write ${id}\n\nAll of it.`,
          after: ['base'],
          run: async (context: TaskContext) => {
            const { revision, attempt } = context;
            const isNamed = revision?.issues?.some(({ affectedTask }) => affectedTask === id) ?? true;
            if (revision && !isNamed) return revision.previousOutput;
            await context.wait(100);
            context.report({ progress: `writes ${context.prompt.length > 0 ? id : ''}` });
            return { commit: `${id}-${attempt}`, base: `c${number - 1}` };
          },
        }),
      ),
      task('integrate', {
        after: ['base', ...ids],
        run: ({ context, report }: TaskContext) => {
          const output = { commit: `c${number}`, parts: context };
          report({ artifact: { name: 'integration', content: output } });
          return output;
        },
      }),
    ],
    subscribe: [`${name}/integration`],
    review: {
      by: ({ attempt, phase: own }) =>
        own === 'phase-2' && attempt === 0
          ? requestChanges([
              { severity: 'high', description: 'No help.', affectedTask: '2b', requiredChange: 'Add a --help flag.' },
            ])
          : approve(),
    },
  });
}

const fleet = recording({
  name: 'fleet',
  pipeline() {
    const first = level(1, ['1'], undefined);
    const second = level(2, ['2a', '2b'], first);
    const last = phase('hand-over', { after: [second], tasks: [task('publish', { run: () => 'phasegate/run' })] });
    return definePipeline({ name: 'fleet', policy: policies.phased, phases: [first, second, last] });
  },
});

/** All of this file. */
export const fleets = [fleet];
