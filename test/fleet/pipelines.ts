/**
 * Three fleets of workers and reviewers. Two are pathological, each phase in its own way, and one is healthy.
 *
 * The number of a run determines its script, so that runs are reproducible.
 *
 * @module
 */
import {
  approve,
  definePipeline,
  phase,
  policies,
  reject,
  requestChanges,
  retry,
  retryPredecessor,
  task,
  type Decision,
  type Issue,
  type Pipeline,
  type ReviewContext,
  type TaskContext,
} from '../../src/index.ts';

/** A pathological fleet that shows within a few runs: work without measures, loops without an end. */
export function swarm(nth: number): Pipeline<unknown> {
  const research = phase('research', { tasks: [worker('read', ({ prompt }) => `facts for: ${prompt.length}`)] });
  const article = phase('article', {
    after: [research],
    tasks: [worker('write', ({ prompt }) => prompt)],
    review: { by: reviewer(after(1, () => back('research', 'The facts have no figures.', 'Add figures.'))) },
  });
  return definePipeline({
    name: 'swarm',
    phases: [
      phase('coder', {
        tasks: [worker('patch', () => 'the same patch')],
        review: { by: reviewer(() => retry('Tests are missing. Please look into that.')), maxRetries: 3 },
      }),
      phase('docs', {
        tasks: [worker('page', ({ prompt }) => prompt)],
        review: { strategy: 'none', by: reviewer(after(1, () => asked('It names no version.', 'Name the version.'))) },
      }),
      phase('planner', {
        tasks: [worker('plan', ({ prompt }) => prompt)],
        review: {
          maxRetries: 'unlimited',
          by: reviewer(after(4, (attempt) => asked(`Step ${attempt + 1} is vague.`, `Detail step ${attempt + 1}.`))),
        },
      }),
      phase('api', {
        tasks: [worker('routes', ({ revision }) => revision?.feedback ?? 'routes')],
        review: { by: reviewer(({ attempt }) => unauthenticated(attempt)), maxRetries: 5 },
      }),
      phase('report', {
        tasks: [worker('text', ({ prompt }) => `${'All of the figures, again. '.repeat(60)}${prompt.length}`)],
        review: {
          strategy: 'feedbackHistory',
          maxPromptGrowth: 0,
          by: reviewer(after(2, (attempt) => asked(`Line ${attempt} is wrong. `.repeat(100), `Redo ${attempt}.`))),
        },
      }),
      phase('summary', {
        tasks: [worker('text', modelOfItsOwn)],
        review: { by: reviewer(after(nth % 2, () => asked('It is too long.', 'Cut it to one page.'))) },
      }),
      research,
      article,
    ],
  });
}

/** A pathological fleet that shows within many runs: gates that always or never decide the same. */
export function habits(nth: number): Pipeline<unknown> {
  let asks = 0;
  return definePipeline({
    name: 'habits',
    phases: [
      phase('migration', {
        tasks: [worker('sql', ({ prompt }) => prompt)],
        review: {
          by: task('review', {
            run: ({ attempt }: ReviewContext) => {
              asks += 1;
              if (nth % 2 === 0 && asks === 1) throw rateLimited();
              return attempt === 0 ? asked('It locks the table.', 'Migrate in batches.') : approve();
            },
          }),
        },
      }),
      phase('tests', {
        tasks: [worker('cases', ({ prompt }) => prompt)],
        review: {
          maxRetries: 5,
          by: reviewer(
            after(nth < 6 ? 0 : nth % 2 === 0 ? 2 : 3, (attempt) =>
              asked(`Case ${attempt + 1} is missing.`, `Add case ${attempt + 1}.`),
            ),
          ),
        },
      }),
      phase('lint', { tasks: [worker('run', () => 'clean')], review: { by: reviewer(() => approve()) } }),
      phase('security', {
        tasks: [worker('audit', () => 'audit')],
        review: { by: reviewer(() => reject('It cannot be proven to be safe.')) },
      }),
    ],
  });
}

/** A healthy fleet: demands differ, name the change, reach the worker, and help. A review is rarely unavailable. */
export function crew(nth: number): Pipeline<unknown> {
  let asks = 0;
  const plan = phase('plan', {
    tasks: [worker('outline', ({ prompt }) => prompt)],
    review: { by: reviewer(after(nth % 3 === 0 ? 1 : 0, () => asked('It has no dates.', 'Add dates.'))) },
  });
  return definePipeline({
    name: 'crew',
    policy: policies.fleet,
    phases: [
      plan,
      phase('draft', {
        after: [plan],
        tasks: [
          worker('text', (context) => {
            context.report({ model: 'm', tokens: 100 });
            return context.prompt;
          }),
        ],
        review: {
          by: task('review', {
            run: ({ attempt }: ReviewContext) => {
              asks += 1;
              if (nth === 5 && asks === 1) throw rateLimited();
              if (nth === 7 && asks === 1) return back('plan', 'The plan forgets the costs.', 'Add the costs.');
              if (nth % 4 === 0 && attempt === 0) return asked('It cites nothing.', 'Cite your sources.');
              return nth === 8 && attempt === 1 ? asked('It is too long.', 'Cut it to one page.') : approve();
            },
          }),
        },
      }),
    ],
  });
}

// --- internal ---

function worker<const N extends string>(name: N, run: (context: TaskContext) => unknown) {
  return task(name, { description: `Do ${name}.`, run });
}

function reviewer(decide: (context: ReviewContext) => Decision) {
  return task('review', { run: decide });
}

/** Approves after that number of attempts. */
function after(attempts: number, demand: (attempt: number) => Decision): (context: ReviewContext) => Decision {
  let reviews = 0;
  return () => {
    reviews += 1;
    return reviews > attempts ? approve() : demand(reviews - 1);
  };
}

function asked(feedback: string, requiredChange: string): Decision {
  return retry(feedback, { requiredChange });
}

function back(to: string, feedback: string, requiredChange: string): Decision {
  return retryPredecessor(to, feedback, { requiredChange });
}

/** Reports the same issue in other words each time. */
function unauthenticated(attempt: number): Decision {
  const description = ['Anybody can delete users.', 'Deleting users still needs no token.'][attempt] ?? 'Still open.';
  const issue: Issue = {
    id: 'auth',
    category: 'security',
    severity: 'critical',
    description,
    requiredChange: 'Ask for a token.',
  };
  return requestChanges([issue]);
}

/** Builds a prompt without the one of the context, with the revision at its end. */
function modelOfItsOwn({ description, revision, report }: TaskContext): string {
  report({ model: 'm', tokens: 100 });
  return `${description}\n\n${revision?.feedback ?? ''}`;
}

/** Creates an error without a stack, which would contain paths of a machine. */
function rateLimited(): Error {
  return Object.assign(new Error('429 Too Many Requests'), { stack: undefined });
}
