/**
 * A pipeline of planning, design and code. The phase that caused an issue of the design review corrects it.
 *
 * @module
 */
import { definePipeline, phase, task, type ReviewContext } from 'phasegate';
import { designApi, planProject, reviewDesign, writeCode, type Design, type Office } from './agents.ts';

/** Creates the pipeline of the agents. */
export function userManagement(office: Office) {
  const planning = phase('planning', {
    tasks: (own) => [
      own('plan', {
        description: 'Decompose "Build user management system" into semantic units.',
        run: ({ report, revision }) => planProject(office, report, revision),
      }),
    ],
  });

  const design = phase('design', {
    after: [planning],
    tasks: (own) => [
      own('api', {
        description: 'Design the API of every semantic unit.',
        run: ({ report, inputs }) => designApi(office, report, inputs.planning.plan),
      }),
    ],
    review: {
      by: task('design-review', {
        description: 'Look for what a design that is exposed to the world must have.',
        run: ({ report, outputs }: ReviewContext<{ readonly api: Design }>) =>
          reviewDesign(office, report, outputs.api),
      }),
    },
  });

  const code = phase('code', {
    after: [design],
    tasks: (own) => [
      own('routes', {
        description: 'Write the code of the design.',
        run: ({ report, inputs }) => writeCode(office, report, inputs.design.api),
      }),
    ],
  });

  return definePipeline({ name: 'user-management', phases: [planning, design, code] });
}
