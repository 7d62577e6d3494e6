/**
 * Questions that work asks people before it has ended. Each is a run of its own, with one task that is a person.
 *
 * So it is an item of the inbox, has a deadline, survives a restart, and stops with the work that asks. The id of the run is that of the
 * work, with the number of the try, that of the question among equal ones, and a hash. A try that is resumed is given the answer that it had.
 *
 * @module
 */
import { definePipeline, phase, task, type Pipeline } from '../../model/definition/define.ts';
import type { ChildOptions, ChildOutcome } from '../../model/handlers/child-pipeline.ts';
import { human, type HumanOptions } from '../../model/handlers/human.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import { inboxPolicyOf } from '../../model/plan/inbox-policy.ts';
import { contentHash } from '../../model/values/content-hash.ts';

/** The number of times that each question of a try was asked, by its hash. */
export type Asked = Map<string, number>;

/** The run of a question, as the run of a task. */
export interface QuestionRun {
  readonly child: ChildOptions;
  readonly context: TaskContext;
}

/**
 * Makes the run of a question.
 *
 * @param about All that it is about, which the words may cut.
 * @param asked The questions of the try so far. This one is added.
 */
export function questionRun(
  { question, about }: { readonly question: HumanOptions; readonly about: unknown },
  context: TaskContext,
  asked: Asked,
  signal: AbortSignal,
): QuestionRun {
  const { question: words, description, choices } = question;
  const hash = contentHash([words, description, choices, inboxPolicyOf(question), about ?? null]).slice(0, 16);
  const nth = (asked.get(hash) ?? 0) + 1;
  asked.set(hash, nth);
  return {
    child: { pipeline: () => pipelineAsking(question), outcome: answerIn },
    context: contextOf(
      context,
      idOf(context, `${context.try}-${nth}-${hash}`),
      AbortSignal.any([context.signal, signal]),
    ),
  };
}

/** True if a run is a question that the work has asked. */
export function isQuestionOf(context: TaskContext, runId: string): boolean {
  // Parts of an id are encoded, so none has a space.
  const [begin = '', end = ''] = idOf(context, ' ').split(' ');
  return runId.startsWith(begin) && runId.endsWith(end);
}

/** The pipeline of a question. The plan is the same for all questions. */
export function pipelineAsking(question: HumanOptions): Pipeline<unknown> {
  return definePipeline({
    name: 'question',
    phases: [phase(PHASE, { tasks: [task(TASK, { run: human(question) })] })],
  });
}

// --- internal ---

const PHASE = 'question';
const TASK = 'answer';

/** The answer; `undefined` if there is none. */
function answerIn({ outputs }: ChildOutcome): unknown {
  return fieldOf(fieldOf(outputs, PHASE), TASK);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

/** The id of the run of a question. Its form is that of other child runs, so that it is known as one of the task. */
function idOf({ idempotencyKey }: TaskContext, which: string): string {
  const [run, phaseName, start, attempt, role, name, ...more] = idempotencyKey.split('/');
  const asker = [role, ...more].join('.');
  return [run, phaseName, `${start}.${asker}.question-${which}`, attempt, 'task', name].join('/');
}

function contextOf(context: TaskContext, idempotencyKey: string, signal: AbortSignal): TaskContext {
  const { attempt, try: nth, generation, run, phase: phaseName, task: name, report, wait } = context;
  return {
    description: '',
    prompt: '',
    input: undefined,
    inputs: {},
    context: {},
    attempt,
    try: nth,
    generation,
    revision: undefined,
    artifacts: [],
    signal,
    // The question is no progress of the work.
    report: (one) => one.warning && report(one),
    wait: (ms) => wait(ms),
    idempotencyKey,
    run,
    phase: phaseName,
    task: name,
  };
}
