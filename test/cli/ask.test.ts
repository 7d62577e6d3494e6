import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createAsker } from '../../src/cli/run/ask-decision.ts';
import {
  definePipeline,
  escalate,
  human,
  needsRework,
  phase,
  retry,
  startRun,
  task,
  type Pipeline,
  type RunResult,
} from '../../src/index.ts';

/** Answers the prompt as a person would, with one line each time it appears; `undefined` ends the input. */
async function ask(
  pipeline: Pipeline<unknown>,
  answers: readonly (string | undefined | (() => Promise<string>))[],
): Promise<{ readonly result: RunResult<unknown>; readonly screen: string; readonly busy: readonly boolean[] }> {
  const input = new PassThrough();
  const output = new PassThrough();
  onTestFinished(() => void input.destroy());
  const left = [...answers];
  const busy: boolean[] = [];
  let screen = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    if (!screen.endsWith('> ')) return;
    const answer = left.shift();
    if (answer === undefined) input.end();
    else if (typeof answer === 'string') type(answer);
    else void answer().then(type);
  });
  function type(answer: string): void {
    screen += `${answer}\n`;
    input.write(`${answer}\n`);
  }
  const run = startRun(pipeline, { attended: true });
  const asker = createAsker(run, { input, output, onBusy: (is) => busy.push(is) });
  run.events$.subscribe((record) => asker.apply(record));
  const result = await run.result;
  asker.close();
  return { result, screen, busy };
}

/** A pipeline of two phases. The gate of the second escalates each attempt. */
function escalating(): Pipeline<unknown> {
  const research = phase('research', { tasks: [task('read', { run: () => 'notes' })] });
  const draft = phase('draft', {
    after: [research],
    tasks: [task('write', { run: ({ attempt }) => `text ${attempt}` })],
    review: () => escalate('Legal\nmust see this.'),
  });
  return definePipeline({ name: 'article', phases: [research, draft] });
}

describe('a phase that waits', () => {
  it.each([
    ['SKIP: not this year', { status: 'completed', phases: { draft: { status: 'skipped', reason: 'not this year' } } }],
    ['ABORT: enough', { status: 'cancelled', reason: 'enough' }],
  ])('can be answered with %s', async (line, expected) => {
    const { result, screen } = await ask(escalating(), ['skip it', line]);
    expect(result).toMatchObject(expected);
    expect(screen).toContain(
      '\nAnswer with APPROVE, RETRY, RETRY_PREDECESSOR, REJECT, SKIP or ABORT, as listed above.\n',
    );
  });

  it('offers what its own list has, also if there is nothing to approve or to send back', async () => {
    const only = phase('only', { tasks: [task('t', { run: () => 1 })], review: () => escalate('Well?') });
    const { screen } = await ask(definePipeline({ name: 'p', phases: [only] }), ['fine', 'APPROVE']);
    expect(screen).toContain('\nAnswer with APPROVE, RETRY, REJECT, SKIP or ABORT, as listed above.\n');
    const broken = phase('broken', {
      tasks: [
        task('t', {
          run: () => {
            throw needsRework('only', 'More.');
          },
        }),
      ],
      after: ['only'],
      review: () => 'APPROVE',
    });
    const first = phase('only', { tasks: [task('t', { run: () => 1 })] });
    const pipeline = definePipeline({
      name: 'p',
      limits: { corrections: 0 },
      policy: { onLimit: 'escalate' },
      phases: [first, broken],
    });
    const { screen: other } = await ask(pipeline, ['APPROVE', 'REJECT: no']);
    expect(other).toContain('\nAnswer with RETRY, RETRY_PREDECESSOR, REJECT, SKIP or ABORT, as listed above.\n');
  });
});

describe('a person who is a task, or a reviewer', () => {
  it('is asked as well, until the answer is valid', async () => {
    const one = phase('budget', {
      tasks: [task('sum', { output: z.number(), run: human({ question: 'How much?', description: 'In euros.' }) })],
      review: human({ question: 'All right?' }),
    });
    const answers = ['', 'much', '7', 'fine', 'RETRY: less', '5', 'APPROVE'];
    const { result, screen } = await ask(definePipeline({ name: 'p', phases: [one] }), answers);
    expect(result).toMatchObject({ status: 'completed', outputs: { budget: { sum: 5 } } });
    expect(screen).toContain('‖ budget/sum asks: How much?\n  In euros.\n');
    expect(screen).toContain('Cannot answer item');
    expect(screen).toContain('‖ budget/review asks: All right?\n  sum:\n');
    expect(screen.match(/‖/gu)).toHaveLength(4);
  });
});

describe('questions', () => {
  it('show the pending phase, the reason, its outputs, and the possible answers', async () => {
    const { result, screen, busy } = await ask(escalating(), ['APPROVE']);
    expect(screen).toMatchInlineSnapshot(`
      "
      ‖ draft waits for a person
        Legal
        must see this.
        write:
          text 0
        Answer with one of these lines; Ctrl-C cancels the run.
          APPROVE
          RETRY: <what to change>
          RETRY_PREDECESSOR <phase>: <what to change>   (research)
          REJECT: <why>
          SKIP: <why>
          ABORT: <why>          end the run as cancelled
      > APPROVE
      "
    `);
    expect(result.status).toBe('completed');
    expect(busy).toEqual([true, false]);
  });

  it.each([
    ['', '   ', '\t'],
    ['yes', 'y', 'ok', 'a', 'approved?', 'I approve of the idea', 'ESCALATE: no'],
    ['RETRY_PREDECESSOR nope: x'],
  ])('are asked again after %j', async (...unclear) => {
    const { result, screen } = await ask(escalating(), [...unclear, 'REJECT: not this one']);
    expect(result.phases['draft']).toMatchObject({ status: 'rejected', reason: 'not this one', outputs: null });
    expect(screen.match(/^> /gmu)).toHaveLength(unclear.length + 1);
  });

  it('pass decisions on, and are asked again for the next attempt', async () => {
    const { result, screen } = await ask(escalating(), [
      'retry: shorter',
      'RETRY_PREDECESSOR research: more',
      'approve',
    ]);
    expect(result.phases['draft']?.decisions.filter(({ by }) => by === 'person').map(({ verdict }) => verdict)).toEqual(
      [
        { type: 'retry', feedback: 'shorter' },
        { type: 'retryPredecessor', phase: 'research', feedback: 'more' },
        { type: 'approve' },
      ],
    );
    expect(screen.match(/^ {4}text \d/gmu)).toEqual(['    text 0', '    text 1', '    text 0']);
    expect(result.status).toBe('completed');
  });

  it.each([[[]], [['', 'maybe']]])('cancel the run when the input ends after %j', async (answers) => {
    const { result } = await ask(escalating(), [...answers, undefined]);
    expect(result).toMatchObject({ status: 'cancelled', reason: 'The input ended before a decision on "draft"' });
  });

  it('are asked one after the other if several phases wait', async () => {
    const phases = ['left', 'right'].map((name) =>
      phase(name, { tasks: [task('work', { run: () => name })], review: () => escalate(`See ${name}.`) }),
    );
    const { result, screen, busy } = await ask(definePipeline({ name: 'pair', phases }), ['APPROVE', 'REJECT: no']);
    expect(screen.match(/^‖ .*/gmu)).toEqual(['‖ left waits for a person', '‖ right waits for a person']);
    expect(Object.values(result.phases).map(({ status }) => status)).toEqual(['approved', 'rejected']);
    expect(busy).toEqual([true, false]);
  });

  it('stay the same if another item appears meanwhile', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const left = phase('left', { tasks: [task('work', { run: () => 1 })], review: () => escalate('See left.') });
    const right = phase('right', {
      tasks: [task('work', { run: () => 1 })],
      review: () => opened.then(() => escalate('See right.')),
    });
    const later = async (): Promise<string> => {
      open();
      // The escalation of the other phase has been published by then.
      await setImmediate();
      return 'APPROVE';
    };
    const { result, screen } = await ask(definePipeline({ name: 'pair', phases: [left, right] }), [later, 'APPROVE']);
    expect(screen.match(/^‖ .*/gmu)).toEqual(['‖ left waits for a person', '‖ right waits for a person']);
    expect(result.status).toBe('completed');
  });

  it('name only the targets that the gate of the reviewer may send back', async () => {
    const plain = (name: string, ...after: string[]) => phase(name, { after, tasks: [task('t', { run: () => 1 })] });
    const pipeline = definePipeline({
      name: 'aimed',
      phases: [
        plain('research'),
        plain('draft', 'research'),
        phase('print', {
          after: ['draft'],
          tasks: [task('press', { run: () => 1 })],
          review: { by: human({ question: 'Good?' }), rewindTo: ['draft'] },
        }),
      ],
    });
    const { screen, result } = await ask(pipeline, ['APPROVE']);
    expect(screen).toContain('RETRY_PREDECESSOR <phase>: <what to change>   (draft)\n');
    expect(result.status).toBe('completed');
  });

  it('about a limit take APPROVE and REJECT only', async () => {
    const pipeline = definePipeline({
      name: 'costly',
      phases: [
        phase('draft', { tasks: [task('write', { run: ({ report }) => report({ tokens: 100 }) })] }),
        phase('print', { after: ['draft'], tasks: [task('press', { run: () => 1 })] }),
      ],
      limits: { tokens: 10 },
      policy: { onLimit: 'escalate' },
    });
    const { result, screen } = await ask(pipeline, ['RETRY: x', 'RETRY_PREDECESSOR draft: x', '', 'APPROVE']);
    expect(screen).toContain('‖ tokens waits for a person: the limit is reached, and the run is held');
    expect(screen).toContain('Cannot decide on a limit by "RETRY: x"');
    expect(screen.match(/^> /gmu)).toHaveLength(4);
    expect(result.status).toBe('completed');
  });

  it('are not asked of a reviewer whose gate needs no answer', async () => {
    const pipeline = definePipeline({
      name: 'calm',
      phases: [
        phase('draft', { tasks: [task('write', { run: () => 1 })], review: { by: () => retry('x'), maxRetries: 1 } }),
      ],
    });
    const { screen, busy } = await ask(pipeline, []);
    expect(screen).toBe('');
    expect(busy).toEqual([]);
  });
});
