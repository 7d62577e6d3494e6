import { approve, definePipeline, escalate, phase, retry, task } from 'phasegate';

const draft = phase('draft', {
  tasks: [
    task('write', {
      description: 'Write one sentence.',
      run: ({ input, revision }) => `On ${String(input)}: gates ${revision ? 'decide what goes on' : 'exist'}.`,
    }),
  ],
  review: ({ outputs }) => (outputs.write.includes('decide') ? approve() : retry('Say what gates do.')),
});

const publish = phase('publish', {
  after: [draft],
  tasks: (make) => [make('print', { run: ({ inputs }) => inputs.draft.write.toUpperCase() })],
  review: () => escalate('Publishing cannot be undone.'),
});

/** Two phases: one improves on feedback, one waits for a person. */
export const article = definePipeline({ name: 'article', phases: [draft, publish] });
