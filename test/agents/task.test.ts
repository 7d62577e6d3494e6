/**
 * Tasks that agents do, in real pipelines.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  agentReviewer,
  agentTask,
  commandAgent,
  jsonlAgent,
  startedByAgent,
  type Agent,
  type AgentTaskOptions,
  type AgentTurn,
} from '../../src/agents.ts';
import {
  definePipeline,
  phase,
  PipelineInvalidError,
  startRun,
  task,
  type Limits,
  type Policy,
  type Problem,
  type RunResult,
} from '../../src/index.ts';
import type { RunEvent } from '../../src/records.ts';
import { hurriedClock } from '../openai/rig.ts';
import { CLAUDE, CODEX, GEMINI, type Lines } from './lines.ts';
import { folderOfTest, scripted, type Scripted } from './rig.ts';
import type { Step } from './script.ts';

const ADAPTERS: readonly (readonly [
  string,
  (program: Scripted['program']) => Agent,
  (text: string) => readonly Step[],
])[] = [
  ['claude', (program) => jsonlAgent('claude', { program }), (text) => steps(CLAUDE, text)],
  ['codex', (program) => jsonlAgent('codex', { program }), (text) => steps(CODEX, text)],
  ['gemini', (program) => jsonlAgent('gemini', { program }), (text) => steps(GEMINI, text)],
  ['a command', (program) => commandAgent(program), (text) => [{ type: 'text', text }]],
  [
    'a command with an argument',
    (program) => commandAgent([...program, '--prompt', '{prompt}'], { prompt: 'argument' }),
    (text) => [{ type: 'text', text }],
  ],
  [
    'a command with a file',
    (program) => commandAgent([...program, '--prompt-file', '{prompt}'], { prompt: 'file' }),
    (text) => [{ type: 'text', text }],
  ],
];

describe('a required change', () => {
  it.each(ADAPTERS)('is verbatim in the next prompt of %s', async (_, make, answer) => {
    const { program, cwd, asked } = scripted(answer('Done.'), answer('Done again.'));
    const build = phase('build', {
      tasks: [agentTask('make', { agent: make(program), workspace: cwd, description: 'Make it.' })],
      review: ({ attempt }) =>
        attempt === 0
          ? { type: 'retry', feedback: 'No.', requiredChange: 'Use "two" colons:: é, $1 and `x`.' }
          : 'APPROVE',
    });
    const { outputs } = await startRun(definePipeline({ name: 'p', phases: [build] }), { runId: 'r1' }).result;
    expect(outputs).toEqual({ build: { make: 'Done again.' } });
    const [first, second] = asked();
    expect(first?.prompt).toBe('Make it.');
    expect(second?.prompt).toContain('Use "two" colons:: é, $1 and `x`.');
    expect(second?.env).toEqual({
      PHASEGATE_AGENT: '1',
      PHASEGATE_RUN: 'r1',
      PHASEGATE_PHASE: 'build',
      PHASEGATE_TASK: 'make',
      PHASEGATE_ATTEMPT: '1',
      PHASEGATE_REFUSALS: expect.stringMatching(/refused\.jsonl$/u) as string,
    });
    expect(second?.cwd).toBe(cwd);
  });
});

describe('agentTask()', () => {
  it('reports usage, progress, and the model', async () => {
    const { told } = await work({ turns: [steps(CLAUDE, 'Hello.')] });
    expect(told).toEqual([
      { progress: 'Hello.' },
      { tokens: 105, inputTokens: 100, outputTokens: 5, costUsd: 0.25, provider: 'anthropic' },
      { artifact: { name: 'transcript of make', content: 'Hello.' } },
    ]);
  });

  it('reports each line of a flood less and less often', async () => {
    const read = (n: number): Step => ({
      type: 'json',
      line: { type: 'item.started', item: { id: `${n}`, type: 'command_execution', command: `c${n}` } },
    });
    const many = Array.from({ length: 3000 }, (_, n) => read(n));
    const { told } = await work({ turns: [[...many, ...steps(CODEX, 'Done.')]], profile: 'codex' });
    expect(told.length).toBeGreaterThan(100);
    expect(told.length).toBeLessThan(160);
  });

  it('shows the material after the prompt, and nothing of it in a prompt of its own', async () => {
    const { program, cwd, asked } = scripted(steps(CODEX, 'One.'), steps(CODEX, 'Two.'));
    const agent = jsonlAgent('codex', { program });
    const plan = phase('plan', { tasks: [task('steps', { run: () => ['first'] })] });
    const build = phase('build', {
      after: [plan],
      tasks: [
        agentTask('make', { agent, workspace: cwd, description: 'Make it.' }),
        agentTask('other', { agent, workspace: cwd, after: ['make'], prompt: ({ phase: name }) => `Only ${name}.` }),
      ],
    });
    await startRun(definePipeline({ name: 'p', phases: [plan, build] }), { input: { topic: 'x' } }).result;
    const [first, second] = asked().map((one) => one.prompt);
    expect(first).toMatch(/^Make it\.\n\n## Material[^]*"topic": "x"[^]*"first"/u);
    expect(second).toBe('Only build.');
  });

  it.each([
    ['a refusal', CLAUDE.refused, 'AGENT_STOPPED', 'it refused: I cannot help with that.'],
    ['a limit', CLAUDE.limit, 'AGENT_STOPPED', 'a limit of the agent was reached: error_max_turns'],
  ])('does not take %s for a success, and does not try again', async (_, lines, code, found) => {
    const turn = lines.map((line): Step => ({ type: 'json', line }));
    const { result, asked } = await work({ turns: [turn, steps(CLAUDE, 'Fine.')] });
    expect(result.phases['build']).toMatchObject({ status: 'failed', error: { code } });
    expect(result.phases['build']?.error?.message).toContain(found);
    expect(asked()).toHaveLength(1);
  });

  it('waits as long as a limit of rate states, and tries again', async () => {
    const limited = [
      ...json(CODEX.failed('Please try again in 2 hours 5 minutes.')),
      { type: 'exit', code: 1 } as const,
    ];
    const { result, events } = await work({
      turns: [limited, steps(CODEX, 'Fine.')],
      profile: 'codex',
      patience: 1e9,
      timeout: 0,
    });
    expect(result.outputs).toEqual({ build: { make: 'Fine.' } });
    const retrying = events.filter((event) => event.type === 'task.retrying');
    expect(retrying).toMatchObject([{ delayMs: 7_500_000, error: { code: 'AGENT_FAILED', retryAfterMs: 7_500_000 } }]);
  });

  it('tries again after a death, with the end of its errors in the record', async () => {
    const dead: readonly Step[] = [
      { type: 'stderr', text: 'first\n\u001B[31mno memory\u001B[0m\n' },
      { type: 'exit', code: 137 },
    ];
    const { result, events } = await work({ turns: [dead, steps(CLAUDE, 'Fine.')] });
    expect(result.status).toBe('completed');
    const message = events.flatMap((event) => (event.type === 'task.retrying' ? event.error.message : []))[0];
    expect(message).toMatch(
      /^Cannot finish the turn of agent "claude" as it ended with exit code 137:\nfirst\nno memory\n/u,
    );
  });

  it('closes its workspace after each try, and fails if that fails', async () => {
    const ends: boolean[] = [];
    const { result } = await work({
      turns: [[{ type: 'exit', code: 3 }], steps(CLAUDE, 'Fine.')],
      workspace: (cwd) => () => ({
        cwd,
        close({ isDone }) {
          ends.push(isDone);
          if (isDone) throw new Error('Nothing was changed');
        },
      }),
      retry: { attempts: 2 },
    });
    expect(ends).toEqual([false, true]);
    expect(result.phases['build']?.error?.message).toContain('Nothing was changed');
  });

  it('notes each process before the next one starts', async () => {
    const groups: number[] = [];
    const open = (cwd: string) => () => ({
      cwd,
      env: { OF_THE_WORKSPACE: '1' },
      onProcess: (pid: number) => void groups.push(pid),
    });
    await work({ turns: [[{ type: 'exit', code: 3 }], steps(CLAUDE, 'Fine.')], workspace: open });
    expect(new Set(groups).size).toBe(2);
  });

  it('ends the agent when the run is cancelled', async () => {
    const { program, cwd } = scripted([{ type: 'hang' }]);
    const pids: number[] = [];
    const make = agentTask('make', {
      agent: jsonlAgent('claude', { program }),
      workspace: () => ({ cwd, onProcess: (pid) => void pids.push(pid) }),
    });
    const run = startRun(definePipeline({ name: 'p', phases: [phase('build', { tasks: [make] })] }));
    await expect.poll(() => pids.length).toBe(1);
    run.cancel('Enough.');
    expect((await run.result).status).toBe('cancelled');
    await expect.poll(() => isListed(pids[0])).toBe(false);
  });
});

describe('agentTask() with a schema', () => {
  const output = z.object({ ok: z.boolean() });

  it('passes it to Claude as an argument, and takes its value', async () => {
    const done = CLAUDE.done('').map((line) =>
      'subtype' in line && line.subtype === 'success' ? { ...line, structured_output: { ok: true } } : line,
    );
    const { result, asked } = await work({ turns: [json(done)], output });
    expect(result.outputs).toEqual({ build: { make: { ok: true } } });
    const { args = [], prompt } = asked()[0] ?? {};
    expect(JSON.parse(args[args.indexOf('--json-schema') + 1] ?? '')).toMatchObject({
      properties: { ok: { type: 'boolean' } },
    });
    expect(prompt).toContain('"ok"');
  });

  it('passes it to Codex as a file, and reads its text', async () => {
    const { result, asked } = await work({ turns: [steps(CODEX, '{"ok":true}')], profile: 'codex', output });
    expect(result.outputs).toEqual({ build: { make: { ok: true } } });
    expect(asked()[0]?.schema).toMatchObject({ required: ['ok'], additionalProperties: false });
  });

  it('reads the last code fence of JSON of any other', async () => {
    const text =
      'I did it. Not this:\n```json\n{"ok":"no"}\n```\nnor this:\n````\n```json\n{"ok":1}\n```\n````\nbut this:\n```json\n{"ok":true}\n```\nBye.\n```sh\nls\n```';
    const { result, asked } = await work({ turns: [steps(GEMINI, text)], profile: 'gemini', output });
    expect(result.outputs).toEqual({ build: { make: { ok: true } } });
    expect(asked()).toHaveLength(1);
  });

  it('repairs an answer once, by a turn that only reads', async () => {
    const turns = [steps(GEMINI, 'It is all right.'), steps(GEMINI, '```json\n{"ok":true}\n```')];
    const { result, asked } = await work({ turns, profile: 'gemini', output, description: 'Make it.' });
    expect(result.outputs).toEqual({ build: { make: { ok: true } } });
    const [first, second] = asked();
    expect(first?.args).toContain('auto_edit');
    expect(second?.args).not.toContain('auto_edit');
    expect(second?.prompt).toContain('"It is all right."');
    expect(second?.prompt).not.toContain('Make it.');
  });

  it('fails the try if the repair fails', async () => {
    const turns = Array.from({ length: 4 }, () => steps(GEMINI, '{"ok":"maybe"}'));
    const { result, asked } = await work({ turns, profile: 'gemini', output, retry: { attempts: 2 } });
    expect(result.phases['build']?.error?.code).toBe('OUTPUT_INVALID');
    expect(asked()).toHaveLength(4);
  });
});

describe('limits', () => {
  it('end a run in the middle of a turn, by the usage of its messages', async () => {
    const spent = { input_tokens: 5000, output_tokens: 10 };
    const line = { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'Hm.' }], usage: spent } };
    const { result } = await work({
      turns: [[{ type: 'json', line }, { type: 'hang' }]],
      policy: { limits: { tokens: 1000 } },
    });
    expect(result).toMatchObject({ status: 'exhausted', limit: 'tokens' });
  });

  it.each([NaN, Infinity])("count later totals of an agent of one's own that has stated %d", async (wrong) => {
    const agent: Agent = {
      name: 'own',
      reports: { tokens: true, cost: true },
      access: ['write'],
      run({ onEvent }) {
        try {
          onEvent?.({ type: 'usage', inputTokens: wrong, costUsd: wrong });
        } catch (error) {
          expect(error).toMatchObject({ code: 'REPORT_INVALID' });
        }
        onEvent?.({ type: 'usage', inputTokens: 5000, costUsd: 2 });
        return Promise.resolve({ stop: 'done', text: 'Done.' });
      },
    };
    const build = phase('build', { tasks: [agentTask('make', { agent, workspace: folderOfTest() })] });
    const result = await startRun(definePipeline({ name: 'p', phases: [build] })).result;
    expect(result.metrics).toMatchObject({ tokens: 5000, costUsd: 2 });
  });

  it('charge the estimate of an agent that reports nothing', async () => {
    const { program, cwd } = scripted([{ type: 'text', text: 'Done.' }]);
    const make = agentTask('make', {
      agent: commandAgent(program),
      workspace: cwd,
      estimate: { tokens: 700, costUsd: 2 },
    });
    const build = phase('build', { tasks: [make] });
    const pipeline = definePipeline({ name: 'p', phases: [build], policy: { limits: { tokens: 1000, costUsd: 5 } } });
    expect((await startRun(pipeline).result).metrics).toMatchObject({ tokens: 700, costUsd: 2 });
  });

  const program = '/nowhere/x';
  const agents = {
    program: commandAgent([program]),
    codex: jsonlAgent('codex', { program }),
    gemini: jsonlAgent('gemini', { program }),
  };
  it.each([
    ['program', { tokens: 1 }, {}, ['tokens', 'tokens']],
    ['program', { tokens: 1, costUsd: 1 }, { tokens: 5 }, ['costUsd', 'costUsd']],
    ['program', { tokens: 1, costUsd: 1 }, { tokens: 5, costUsd: 0 }, ['costUsd', 'costUsd']],
    ['codex', { tokens: 1, costUsd: 1 }, {}, ['costUsd', 'costUsd']],
    ['gemini', { costUsd: 1 }, {}, ['costUsd', 'costUsd']],
    ['gemini', { tokens: 1, durationMs: 1 }, {}, []],
    ['program', { tokens: 1, costUsd: 1 }, { tokens: 5, costUsd: 2 }, []],
  ] as const)('%s with limits %o and estimate %o misses estimates of %o', async (name, limits, estimate, missing) => {
    const judge = name === 'program' ? commandAgent([program], { readOnly: true }) : agents[name];
    const define = (more: { readonly limits?: Limits; readonly policy?: Policy }) =>
      definePipeline({
        name: 'p',
        phases: [
          phase('build', {
            tasks: [agentTask('make', { agent: agents[name], workspace: '.', estimate, retry: { attempts: 1 } })],
            review: { by: agentReviewer('judge', { agent: judge, workspace: '.', criteria: 'It is.', estimate }) },
          }),
        ],
        ...more,
      });
    const found = () => problemsOf(() => define({ limits })).map(({ message }) => /`(\w+)`/u.exec(message)?.[1]);
    expect(found()).toEqual(missing);
    expect(problemsOf(() => define({ policy: { limits } }))).toHaveLength(missing.length);
    const { error } = await startRun(define({}), { limits }).result;
    expect(error?.code).toBe(missing.length > 0 ? 'INPUT_INVALID' : undefined);
  });

  it('name the task, the option and its place', () => {
    const make = agentTask('make', { agent: commandAgent(['x']), workspace: '.' });
    const build = phase('build', { tasks: [make] });
    expect(problemsOf(() => definePipeline({ name: 'p', phases: [build], limits: { costUsd: 1 } }))).toEqual([
      {
        code: 'ESTIMATE_MISSING',
        where: 'phase "build", task "make"',
        message: 'a limit counts `costUsd`, which it neither reports nor estimates',
        hint: 'Give `estimate: { costUsd: … }` with the most US dollars that one try may use (--estimate-cost of `phasegate fleet`), or remove the limit.',
        path: ['phases', 0, 'tasks', 0],
      },
    ]);
  });

  it('of one run are refused with the same words', async () => {
    const make = agentTask('make', { agent: commandAgent(['x']), workspace: '.' });
    const pipeline = definePipeline({ name: 'p', phases: [phase('build', { tasks: [make] })] });
    const { error } = await startRun(pipeline, { limits: { tokens: 5 } }).result;
    expect(error?.message).toContain(
      'Cannot limit a run by what nothing reports or estimates: `tokens` of "make" of "build"',
    );
  });
});

function problemsOf(define: () => unknown): readonly Problem[] {
  try {
    define();
    return [];
  } catch (error) {
    if (error instanceof PipelineInvalidError) return error.problems;
    throw error;
  }
}

it.each([
  [{ PHASEGATE_AGENT: '1' }, true],
  [{ PHASEGATE_AGENT: '0' }, true],
  [{ PHASEGATE_AGENT: '' }, false],
  [{}, false],
])('startedByAgent(%o) is %s', (env, expected) => {
  expect(startedByAgent(env)).toBe(expected);
});

it.each([
  [() => agentTask('make', { agent: commandAgent(['x']), workspace: '' }), 'has no workspace'],
  [() => agentTask('make', { agent: { ...commandAgent(['x']), access: ['read'] }, workspace: '.' }), 'only reads'],
  [() => jsonlAgent('nope' as 'claude'), 'no profile "nope"'],
  [() => jsonlAgent('claude', { silence: -1 }), '`silence` is -1'],
  [() => jsonlAgent('claude', { maxLineBytes: 0 }), '`maxLineBytes` is 0'],
  [() => commandAgent(['x', '{prompt}']), 'the prompt is on standard input'],
  [() => commandAgent(['x'], { prompt: 'file' }), 'no word has {prompt}'],
  [() => commandAgent(['x', '{prompt}', '{prompt}'], { prompt: 'argument' }), 'several words have {prompt}'],
  [() => commandAgent(['{prompt}'], { prompt: 'argument' }), 'a prompt is no program'],
])('%# is refused at definition time', (define, message) => {
  expect(define).toThrow(
    expect.objectContaining({
      code: 'DEFINITION_INVALID',
      message: expect.stringContaining(message) as string,
    }) as Error,
  );
});

it('an agent may be any function', async () => {
  const turns: AgentTurn[] = [];
  const agent: Agent = {
    name: 'own',
    reports: { tokens: false, cost: false },
    access: ['write'],
    run: async (turn) => {
      turns.push(turn);
      writeFileSync(join(turn.cwd, 'a.txt'), 'x');
      return { stop: 'done', text: 'Fine.' };
    },
  };
  const cwd = folderOfTest();
  const build = phase('build', {
    tasks: [agentTask('make', { agent, workspace: cwd, permissions: { network: 'allow' } })],
  });
  expect((await startRun(definePipeline({ name: 'p', phases: [build] })).result).outputs).toEqual({
    build: { make: 'Fine.' },
  });
  expect(turns[0]).toMatchObject({ access: 'write', permissions: { network: 'allow' }, cwd });
});

// --- internal ---

function json(lines: readonly object[]): readonly Step[] {
  return lines.map((line) => ({ type: 'json', line }));
}

function steps(lines: Lines, text: string): readonly Step[] {
  return json(lines.done(text));
}

function isListed(group: number | undefined): boolean {
  try {
    return process.kill(-(group ?? 0), 0);
  } catch {
    return false;
  }
}

/** Runs one phase whose task is an agent that takes these turns. */
async function work({
  turns,
  profile = 'claude',
  workspace = (cwd: string): AgentTaskOptions['workspace'] => cwd,
  policy,
  patience,
  output,
  ...more
}: {
  readonly turns: readonly (readonly Step[])[];
  readonly profile?: 'claude' | 'codex' | 'gemini';
  readonly workspace?: (cwd: string) => AgentTaskOptions['workspace'];
  readonly policy?: Policy;
  readonly patience?: number;
  readonly output?: z.ZodType;
} & Partial<Pick<AgentTaskOptions, 'description' | 'retry' | 'timeout'>>): Promise<{
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** Reports of the task. */
  readonly told: readonly object[];
  readonly asked: Scripted['asked'];
}> {
  const { program, cwd, asked } = scripted(...turns);
  const options = { ...more, agent: jsonlAgent(profile, { program }), workspace: workspace(cwd) };
  const make = output ? agentTask('make', { ...options, output }) : agentTask('make', options);
  const build = phase('build', { tasks: [make] });
  const pipeline = definePipeline({ name: 'p', phases: [build], ...(policy && { policy }) });
  const run = startRun(pipeline, { clock: hurriedClock(patience) });
  const events: RunEvent[] = [];
  run.events$.subscribe(({ event }) => events.push(event));
  const result = await run.result;
  const told = events.flatMap((event) => {
    if (event.type !== 'task.reported') return [];
    const { type: _, phase: _phase, generation, attempt, task: _task, reviewer, ...rest } = event;
    return generation + attempt === 0 && !reviewer ? [rest] : [];
  });
  return { result, events, told, asked };
}
