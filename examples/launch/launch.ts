/**
 * The pipeline of a launch: one brief, three pieces that are made from it at the same time, and a check of all of them. A person
 * decides at the end.
 *
 * @module
 */
import { definePipeline, human, phase, task, type ReviewContext } from 'phasegate';
import { checkAll, derive, editBrief, writeBrief, writeRelease, type Desk } from './team.ts';

/** Creates the pipeline of a team. */
export function launch(desk: Desk) {
  const brief = phase('brief', {
    tasks: (own) => [
      own('text', {
        description: 'Say what is launched, when, and at what price.',
        run: ({ report, revision }) => writeBrief(desk, report, revision),
      }),
    ],
    review: {
      by: task('editor', {
        run: ({ report, outputs }: ReviewContext<{ readonly text: string }>) => editBrief(desk, report, outputs.text),
      }),
    },
  });

  const site = phase('site', {
    after: [brief],
    tasks: (own) => [
      own('page', {
        description: 'Write the page of the product.',
        run: ({ report, inputs }) => derive(desk, report, { what: 'site', brief: inputs.brief.text }),
      }),
    ],
  });

  const press = phase('press', {
    after: [brief],
    tasks: (own) => [
      own('release', {
        description: 'Write to the press.',
        run: ({ report, inputs, revision }) => writeRelease(desk, report, inputs.brief.text, revision),
      }),
    ],
  });

  const support = phase('support', {
    after: [brief],
    tasks: (own) => [
      own('answers', {
        description: 'Answer what customers will ask.',
        run: ({ report, inputs }) => derive(desk, report, { what: 'support', brief: inputs.brief.text }),
      }),
    ],
  });

  const check = phase('check', {
    after: [site, press, support],
    tasks: (own) => [
      own('all', {
        description: 'Put everything together that goes out.',
        run: ({ inputs }) => [inputs.site.page, inputs.press.release, inputs.support.answers].join('\n\n'),
      }),
    ],
    review: {
      by: task('reader', {
        run: ({ report, outputs }: ReviewContext<{ readonly all: string }>) => checkAll(desk, report, outputs.all),
      }),
    },
  });

  const announce = phase('announce', {
    after: [check],
    tasks: (own) => [
      own('post', {
        description: 'Write what is posted on the day.',
        run: ({ inputs }) => `Today: ${inputs.check.all.split('\n')[2] ?? ''}`,
      }),
    ],
    review: human({
      question: 'May it go out?',
      description: 'Nothing of it can be taken back once it is posted.',
      queue: 'marketing',
    }),
  });

  return definePipeline({
    name: 'launch',
    phases: [brief, site, press, support, check, announce],
    limits: { costUsd: 0.5, corrections: 6 },
  });
}
