import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pipelineOf } from '../src/cli/load/yaml/load.ts';
import { pipelineJsonSchema } from '../src/cli/load/yaml/schema.ts';
import { milliseconds } from '../src/cli/load/yaml/build-command.ts';
import { nearest } from '../src/model/values/nearest.ts';
import { gateDefaults } from '../src/model/plan/policy.ts';
import { definePipeline, phase, policies, startRun, task, type Policy } from '../src/index.ts';

/** Returns the outputs of a pipeline in YAML, by phase, then task. */
async function outputsOf(source: string, directory = tmpdir()): Promise<unknown> {
  const result = await startRun(pipelineOf(source, 'p.yaml', directory)).result;
  return result.status === 'completed' ? result.outputs : result;
}

/** Returns the message about an invalid file. */
function problemsOf(source: string): string {
  try {
    pipelineOf(source, 'p.yaml', tmpdir());
  } catch (error) {
    return `\n${String(error)}\n`;
  }
  throw new Error('The file is sound.');
}

describe('approvals that a gate in YAML accepts', () => {
  const file = (answer: string, gate = '', policy = '') => `
name: guarded
${policy}
phases:
  - name: draft
    tasks: [{ name: write, command: [echo, text] }]
    review:
      by: { command: [echo, '${answer}'], output: json }
      maxReviewErrors: 0
      ${gate}
`;
  const statusOf = async (source: string) => {
    const { phases } = await startRun(pipelineOf(source, 'p.yaml', tmpdir())).result;
    const { status, error } = phases['draft'] ?? {};
    return error ? `${status}: ${error.code}` : status;
  };
  const approval = 'approval: { minScore: 70, minConfidence: 0.6, maxSeverity: low }';

  it.each([
    ['{"type":"approve"}', 'approved'],
    ['{"type":"approve","score":70,"confidence":0.7}', 'approved'],
    ['{"type":"approve","score":69}', 'failed: REVIEW_UNAVAILABLE'],
    ['{"type":"approve","confidence":0.6}', 'failed: REVIEW_UNAVAILABLE'],
    ['{"type":"approve","issues":[{"severity":"medium","description":"Late."}]}', 'failed: REVIEW_UNAVAILABLE'],
  ])('%s: %s', async (answer, status) => {
    expect(await statusOf(file(answer, approval))).toBe(status);
    expect(await statusOf(file(answer, '', `policy: { ${approval} }`))).toBe(status);
  });

  it('are those of its defaults without options', async () => {
    expect(await statusOf(file('{"type":"approve","score":1,"confidence":0.1}'))).toBe('approved');
    const high = '{"type":"approve","issues":[{"severity":"high","description":"No login."}]}';
    expect(await statusOf(file(high))).toBe('failed: REVIEW_UNAVAILABLE');
    expect(await statusOf(file(high, 'approval: { maxSeverity: critical }'))).toBe('approved');
  });

  it('reject unknown options, and invalid values', () => {
    const wrong = file('{}', 'approval: { minScores: 70, maxSeverity: worst }');
    expect(problemsOf(wrong)).toContain('minScores');
    expect(problemsOf(wrong)).toContain('maxSeverity');
  });
});

describe('a pipeline file', () => {
  it('is equivalent to a definition in code', () => {
    const { plan } = pipelineOf(
      `
name: article
policy: tsp
limits: { corrections: 4, durationMs: 10m, deadlineMs: 2d }
concurrency: 2
phases:
  - name: research
    tasks:
      - { name: read, command: [cat, notes], timeout: 1.5s, estimate: { costUsd: 0.5, tokens: 10, durationMs: 2s } }
      - { name: count, command: wc -l notes, shell: true, after: [read], description: Count., retry: { attempts: 3, backoff: { first: 2s, factor: 3, max: 1m } } }
  - name: draft
    after: [research]
    mode: parallel
    tasks: [{ name: write, command: [write] }]
    review:
      checks: [{ command: [npm, test] }, { name: lint, command: npm run lint, shell: true, timeout: 1h }]
      by: [{ command: [judge] }, { name: lawyer, command: [lawyer] }, { command: [again] }]
      quorum: 2
      maxRetries: unlimited
      reviewBackoff: { first: 500ms }
      rewindTo: [research]
      onExhausted: acceptBest
`,
      'p.yaml',
      tmpdir(),
    );
    const run = () => 1;
    const judge = () => 'APPROVE';
    const research = phase('research', {
      tasks: [
        task('read', { run, timeout: 1500, estimate: { costUsd: 0.5, tokens: 10, durationMs: 2000 } }),
        task('count', {
          run,
          after: ['read'],
          description: 'Count.',
          retry: { attempts: 3, backoff: { first: 2000, factor: 3, max: 60_000 } },
        }),
      ],
    });
    const draft = phase('draft', {
      after: [research],
      mode: 'parallel',
      tasks: [task('write', { run })],
      review: {
        checks: ['npm test', 'lint'].map((name) => ({ name, run: () => true })),
        by: [() => 'APPROVE', task('lawyer', { run: judge }), task('review 3', { run: judge })],
        quorum: 2,
        maxRetries: 'unlimited',
        reviewBackoff: { first: 500 },
        rewindTo: [research],
        onExhausted: 'acceptBest',
      },
    });
    const limits = { corrections: 4, durationMs: 600_000, deadlineMs: 172_800_000 };
    expect(plan).toEqual(
      definePipeline({ name: 'article', phases: [research, draft], policy: policies.tsp, limits, concurrency: 2 }).plan,
    );
  });

  it.each(Object.entries(policies))('accepts the preset %s', (name, policy: Policy) => {
    const phases = 'phases: [{ name: a, tasks: [{ name: t, command: [x] }], review: { by: { command: [y] } } }]';
    const review = { by: () => 'APPROVE' };
    const a = phase('a', { tasks: [task('t', { run: () => 1 })], review });
    expect(pipelineOf(`name: p\npolicy: ${name}\n${phases}`, 'p.yaml', tmpdir()).plan).toEqual(
      definePipeline({ name: 'p', phases: [a], policy }).plan,
    );
  });

  it('keeps commands and variables as written', async () => {
    const print = `require('node:fs').writeSync(1, JSON.stringify([process.argv.slice(1), process.env.A, process.env.B]))`;
    const source = `
name: words
phases:
  - name: a
    tasks:
      - name: t
        command: [${process.execPath}, --eval, ${JSON.stringify(print)}, --, 1.0, 08, yes, true, 0x10, 1e3, 'quoted 1.0', ~x]
        env: { A: 1.50, B: on }
        output: json
`;
    expect(await outputsOf(source)).toEqual({
      a: { t: [['1.0', '08', 'yes', 'true', '0x10', '1e3', 'quoted 1.0', '~x'], '1.50', 'on'] },
    });
  });

  it('runs its commands in its own directory, and in `cwd` below it', async () => {
    const pwd = `{ command: [${process.execPath}, --print, 'process.cwd()']`;
    const source = `{ name: p, phases: [{ name: a, tasks: [${pwd}, name: here }, ${pwd}, name: up, cwd: .. }] }] }`;
    expect(await outputsOf(source, '/usr/bin')).toEqual({ a: { here: '/usr/bin', up: '/usr' } });
  });

  it('reviews with commands: checks first, then the decision of the reviewer', async () => {
    //  draft: the check sends it back once, the reviewer once
    const source = `
name: p
phases:
  - name: draft
    tasks:
      - { name: write, command: 'printf %s "$PHASEGATE_ATTEMPT:$PHASEGATE_REQUIRED_CHANGE$PHASEGATE_FEEDBACK"', shell: true }
    review:
      checks: [{ command: 'test "$PHASEGATE_ATTEMPT" -gt 0 || { echo too early; exit 9; }', shell: true, name: time }]
      by: { command: 'test "$PHASEGATE_ATTEMPT" -gt 1 && echo APPROVE || echo "RETRY: more"', shell: true }
`;
    const result = await startRun(pipelineOf(source, 'p.yaml', tmpdir())).result;
    expect(result.phases['draft']?.decisions.map(({ verdict }) => verdict)).toEqual([
      {
        type: 'retry',
        feedback: 'Check "time" failed: too early',
        requiredChange: 'Make `test "$PHASEGATE_ATTEMPT" -gt 0 || { echo too early; exit 9; }` pass (exit code 9).',
      },
      { type: 'retry', feedback: 'more' },
      { type: 'approve' },
    ]);
    expect(result.outputs).toEqual({ draft: { write: '2:more' } });
  });

  it('reflects with a command, which reads the rejected outputs', async () => {
    const node = (code: string) => JSON.stringify(['node', '-e', code]);
    const read = "let text = ''; process.stdin.on('data', (more) => (text += more)).on('end', () => ";
    const outputs = await outputsOf(`
name: note
phases:
  - name: note
    tasks:
      - name: text
        command: ${node(`${read}console.log(JSON.parse(text).revision?.reflections?.join(' ') ?? 'first'))`)}
        description: Write.
        stdin: inputs
    review:
      strategy: reflexion
      by: { command: ${node("console.log(process.env.PHASEGATE_ATTEMPT === '0' ? 'RETRY: Shorten it.' : 'APPROVE')")} }
      reflect:
        command: ${node(`${read}{ const { prompt, outputs, rejected } = JSON.parse(text); console.log(prompt, outputs.text, rejected, process.env.PHASEGATE_FEEDBACK) })`)}
        stdin: inputs
`);
    expect(outputs).toEqual({ note: { text: 'Write. first 0 Shorten it.' } });
    expect(
      problemsOf(
        'name: p\nphases: [{ name: a, tasks: [{ name: t, command: [x] }], review: { by: { command: [x] }, strategy: reflexion } }]',
      ),
    ).toContain('strategy "reflexion" carries reflections, but nothing writes them');
  });

  it('may use anchors', async () => {
    const source = `
name: p
phases:
  - { name: a, tasks: [&echo { name: t, command: [echo, hi] }] }
  - { name: b, tasks: [*echo] }
`;
    expect(await outputsOf(source)).toEqual({ a: { t: 'hi' }, b: { t: 'hi' } });
  });
});

describe('checks in a pipeline file', () => {
  it('are worded by their kind, count by name, and forgive earlier failures', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'phasegate-yaml-'));
    const source = `
name: p
phases:
  - name: a
    tasks: [{ name: t, command: "printf 'not ok a\\nnot ok b\\n' > log; echo more > new", shell: true }]
    review:
      maxRetries: 0
      onExhausted: reject
      checks:
        - { name: tests, command: "cat log && exit 1", shell: true, kind: test, failures: "^not ok (.+)$" }
        - { name: number, command: [node, --eval, "process.exit(1)"], requiredChange: Name a number. }
        - { name: old, command: [node, --eval, "process.exit(1)"], kind: lint, baseline: true, retries: 1 }
`;
    const result = await startRun(pipelineOf(source, 'p.yaml', directory)).result;
    expect(result.phases['a']?.decisions[0]?.verdict).toEqual({
      type: 'retry',
      requiredChange: 'Fix the 2 failing tests reported by `cat log && exit 1`. Name a number.',
      feedback: 'Check "tests" failed:\nnot ok a\nnot ok b\n\nCheck "number" failed.',
    });
    expect(result.warnings.map(({ code }) => code)).toEqual(['CHECK_PREEXISTING']);
    await rm(directory, { recursive: true });
  });

  it('examine the working folder, and outputs', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'phasegate-yaml-'));
    const source = `
name: p
phases:
  - name: a
    tasks:
      - { name: init, command: "git init -q && printf '<<<<<<< a\\n=======\\n>>>>>>> b\\n' > x.txt", shell: true }
      - { name: plan, command: [echo, '{"steps": [1]}'], output: json, after: [init] }
    review:
      maxRetries: 0
      onExhausted: reject
      checks:
        - { use: noMergeConflicts, name: conflicts, timeout: 1m }
        - { use: nonEmptyDiff, base: HEAD, retries: 0 }
        - use: matchesSchema
          task: plan
          schema: { type: object, properties: { steps: { type: array, minItems: 2, items: { type: string } }, owner: {} }, required: [owner] }
        - { use: command, command: [git, --version] }
`;
    const result = await startRun(pipelineOf(source, 'p.yaml', directory)).result;
    expect(result.phases['a']?.decisions[0]?.verdict).toEqual({
      type: 'retry',
      requiredChange:
        'Resolve the merge conflicts in x.txt. Fix the 3 problems that the schema finds in the output of task "plan".',
      feedback: [
        'Check "conflicts" failed:\nMerge conflicts, or their markers, are in:\nx.txt\n',
        'Check "schema of plan" failed:',
        'steps.0: Invalid input: expected string, received number',
        'steps: Too small: expected array to have >=2 items',
        'owner: Invalid input: expected nonoptional, received undefined',
      ].join('\n'),
    });
    await rm(directory, { recursive: true });
  });

  it('report problems with their line', () => {
    const source = `
name: p
phases:
  - name: a
    tasks: [{ name: t, command: [x] }]
    review:
      checks:
        - { use: noMergeConflict }
        - { use: noMergeConflicts, base: main }
        - { use: nonEmptyDiff, base: "--output=x" }
        - { use: matchesSchema, task: t, schema: { type: strange } }
        - { command: [x], failures: "(", kind: tests, retries: 1000 }
        - { name: nothing }
`;
    expect(problemsOf(source)).toMatchInlineSnapshot(`
      "
      PhasegateError: Cannot load "p.yaml" as it has 8 problems:
        p.yaml:8:18: "use": expected one of "noMergeConflicts", "nonEmptyDiff", "matchesSchema", "command"
          8 |         - { use: noMergeConflict }
                               ^
        p.yaml:9:36: unknown key "base". The known keys are use, name, cwd, baseline, retries, timeout.
          9 |         - { use: noMergeConflicts, base: main }
                                                 ^
        p.yaml:10:38: "base": expected a commit or a branch
          10 |         - { use: nonEmptyDiff, base: "--output=x" }
                                                    ^
        p.yaml:11:50: "schema": not a usable schema: Unsupported type: strange
          11 |         - { use: matchesSchema, task: t, schema: { type: strange } }
                                                                ^
        p.yaml:12:37: "failures": cannot use the pattern ( as it is not a regular expression: Unterminated group
          12 |         - { command: [x], failures: "(", kind: tests, retries: 1000 }
                                                   ^
        p.yaml:12:48: "kind": expected one of "build", "format", "lint", "test", "types". Did you mean "test"?
          12 |         - { command: [x], failures: "(", kind: tests, retries: 1000 }
                                                              ^
        p.yaml:12:64: "retries": expected number to be <=100
          12 |         - { command: [x], failures: "(", kind: tests, retries: 1000 }
                                                                              ^
        p.yaml:13:11: "command" is missing
          13 |         - { name: nothing }
                         ^
      https://github.com/phasegate/phasegate/blob/main/docs/yaml.md lists every key. \`phasegate init yaml\` writes a file that names the JSON Schema for editors.
      Docs: docs/errors.md#DEFINITION_INVALID
      "
    `);
  });
});

describe('an invalid pipeline file', () => {
  it('reports all problems at once, each with its line', () => {
    const source = `name: x
polcy: strict
phases:
  - name: build
    taks: []
    tasks:
      - name: a
        command: npm test
      - nmae: b
        command: [a]
        timeout: 3 weeks
      - name: c
        command: [a]
        stdin: inputz
    after: nope
    review:
      maxRetries: -1
      by: 3
      checks:
        - command: [echo]
          shell: true
          retry: 4
`;
    expect(problemsOf(source)).toMatchInlineSnapshot(`
      "
      PhasegateError: Cannot load "p.yaml" as it has 12 problems:
        p.yaml:2:1: unknown key "polcy". Did you mean "policy"?
          2 | polcy: strict
              ^
        p.yaml:5:5: unknown key "taks". Did you mean "tasks"?
          5 |     taks: []
                  ^
        p.yaml:8:18: "command": a command is a list such as [npm, test]; a line of text needs "shell: true"
          8 |         command: npm test
                               ^
        p.yaml:9:9: "name" is missing
          9 |       - nmae: b
                      ^
        p.yaml:9:9: unknown key "nmae". Did you mean "name"?
          9 |       - nmae: b
                      ^
        p.yaml:11:18: "timeout": expected a duration such as "30s"
          11 |         timeout: 3 weeks
                                ^
        p.yaml:14:16: "stdin": expected one of "none", "inputs", "prompt". Did you mean "inputs"?
          14 |         stdin: inputz
                              ^
        p.yaml:15:12: "after": expected a list, found text
          15 |     after: nope
                          ^
        p.yaml:17:19: "maxRetries": expected number to be >=0
          17 |       maxRetries: -1
                                 ^
        p.yaml:18:11: "by": expected keys with values, found a number, or expected a list, found a number
          18 |       by: 3
                         ^
        p.yaml:20:20: "command": with "shell: true" the command is one line of text, not a list
          20 |         - command: [echo]
                                  ^
        p.yaml:22:11: unknown key "retry". The known keys are use, name, command, shell, cwd, env, stdin, timeout, maxOutputBytes, baseline, retries, kind, requiredChange, failures.
          22 |           retry: 4
                         ^
      https://github.com/phasegate/phasegate/blob/main/docs/yaml.md lists every key. \`phasegate init yaml\` writes a file that names the JSON Schema for editors.
      Docs: docs/errors.md#DEFINITION_INVALID
      "
    `);
  });

  it('reports all problems at once, of its structure and of its shape', () => {
    const source = `name: x
polcy: strict
phases:
  - name: build
    after: [ship]
    tasks:
      - { name: a, command: [a], timeout: 3 weeks }
      - { name: b, command: [a], after: [gone] }
  - name: ship
    after: [build]
    tasks: []
    review: { maxRetries: -1, quorum: 2, by: { command: [a] } }
  - name: check
    tasks: [{ name: a, command: [a] }, { name: a, command: [a] }]
    review: { quorum: 2, by: { command: [a] } }
`;
    const found = [...problemsOf(source).matchAll(/p\.yaml:(\d+:\d+: .*?)(?:\. |\n)/gu)].map(([, text]) => text);
    expect(found).toEqual([
      '2:1: unknown key "polcy"',
      '5:13: the pipeline: there is a cycle: build → ship → build',
      '7:43: "timeout": expected a duration such as "30s"',
      '8:42: phase "build", task "b": it comes after "gone", which is not a task of this phase',
      '11:12: "tasks": expected 1 or more, found none',
      '12:27: "maxRetries": expected number to be >=0',
      '14:48: phase "check": the task name "a" is used twice',
      '15:23: phase "check", review: its quorum is 2 but it has 1 reviewer',
    ]);
  });

  it('reports a program that is empty, or blank in a line of the shell, beside all other problems', () => {
    const source = `
name: empty
phases:
  - name: p
    after: [zz]
    tasks:
      - name: t
        command: ['', x]
        comand: y
      - { name: u, command: '  ', shell: true }
    review:
      checks: [{ name: c, command: [''] }]
      by: { command: [''] }
`;
    const found = [...problemsOf(source).matchAll(/p\.yaml:(\d+:\d+: .*?)(?:\. |\n)/gu)].map(([, text]) => text);
    expect(found).toEqual([
      '5:13: phase "p": it comes after "zz", which is not a phase of this pipeline',
      '8:19: item 1 of "command": expected a program, found none',
      '9:9: unknown key "comand"',
      '10:29: "command": expected a program, found none',
      '12:37: item 1 of "command": expected a program, found none',
      '13:23: item 1 of "command": expected a program, found none',
    ]);
  });

  it.each([
    ['name: a\n---\nname: b', '2:1: a pipeline file has one document: move this to another file'],
    ['limits: { costUsd: .inf }', '1:20: "costUsd": expected a number, found Infinity'],
    ['limits: { tokens: -.inf }', '1:19: "tokens": expected a number, found -Infinity'],
    ['limits: { costUsd: .nan }', '1:20: "costUsd": expected a number, found NaN'],
  ])('reports in %j %s', (source, problem) => {
    expect(problemsOf(source)).toContain(`\n  p.yaml:${problem}\n`);
  });

  it('reports no follow-up problem', () => {
    const source = `name: x
phases:
  - nmae: build
    tasks: [{ name: t, command: [a] }, 3, { name: u, command: [a], after: [v] }]
  - name: ship
    after: [build]
    tasks: [{ name: t, command: [a] }]
    review: { by: 3, stratgy: reflexion, reflect: { command: [a] } }
`;
    const found = [...problemsOf(source).matchAll(/p\.yaml:(\d+:\d+: .*?)(?:[.,] |\n)/gu)].map(([, text]) => text);
    expect(found).toEqual([
      '3:5: "name" is missing',
      '3:5: unknown key "nmae"',
      '4:40: item 2 of "tasks": expected keys with values',
      '8:19: "by": expected keys with values',
      '8:22: unknown key "stratgy"',
    ]);
  });

  it('reports a cycle at the line that can break it, and a review problem at the review', () => {
    const phases = ['a', 'b', 'c'].map(
      (name, index, all) => `  - name: ${name}
    after: [${all.at(index - 1)}]
    tasks: [{ name: t, command: [x] }]
    review: { by: [{ command: [x] }, { name: review, command: [x] }] }
`,
    );
    const places = problemsOf(`name: x\nphases:\n${phases.join('')}`).match(/p\.yaml:\d+:\d+: [^:]*/gu);
    expect(places).toEqual([
      'p.yaml:4:13: the pipeline',
      'p.yaml:6:46: phase "a", review',
      'p.yaml:10:46: phase "b", review',
      'p.yaml:14:46: phase "c", review',
    ]);
  });

  it('reports the first twenty problems, and the number of the others', () => {
    const text = problemsOf(`name: x\nphases:\n${'  - { name: 1, tasks: 2 }\n'.repeat(500)}`);
    expect(text).toContain('as it has 1000 problems:');
    expect(text.match(/p\.yaml:\d+/gu)).toHaveLength(20);
    expect(text).toContain('\n  and 980 more\n');
  });

  it('reports problems of the definition at the phase or task', () => {
    const source = `name: x
phases:
  - name: a
    after: [nope]
    tasks:
      - name: t
        command: [x]
      - name: '"t", task'
        command: [x]
        after: [gone]
  - name: a
    tasks:
      - { name: t, command: [x] }
`;
    expect(problemsOf(source)).toMatchInlineSnapshot(`
      "
      PhasegateError: Cannot load "p.yaml" as it has 3 problems:
        p.yaml:4:13: phase "a": it comes after "nope", which is not a phase of this pipeline. Add that phase, or correct the name; the only phase is "a".
          4 |     after: [nope]
                          ^
        p.yaml:10:17: phase "a", task ""t", task": it comes after "gone", which is not a task of this phase. Name a task of the same phase; outputs of earlier phases are in \`inputs\`.
          10 |         after: [gone]
                               ^
        p.yaml:11:11: the pipeline: the phase name "a" is used twice. Give each a name of its own.
          11 |   - name: a
                         ^
      https://github.com/phasegate/phasegate/blob/main/docs/yaml.md lists every key. \`phasegate init yaml\` writes a file that names the JSON Schema for editors.
      Docs: docs/errors.md#DEFINITION_INVALID
      "
    `);
  });

  it.each([
    ['', '1:1: the file: expected keys with values, found nothing'],
    ['- a', '1:1: the file: expected keys with values, found a list'],
    ['name: x\nphases: []', '2:9: "phases": expected 1 or more, found none'],
    ['name: x', '1:1: "phases" is missing'],
    ['name: [x\nphases: 1', '2:1: '],
    ['name: x\nname: y', '2:1: Map keys must be unique'],
    ['a: *b', '1:4: Unresolved alias'],
    ['--- 1\n--- 2', 'has one document'],
    ['name: "\\x1B[31m"\nnmae: x', '2:1: unknown key "nmae". Did you mean "name"?'],
    ['name: x\npolicy: { max_retries: 3 }\nphases: 1', 'unknown key "max_retries". Did you mean "maxRetries"?'],
    [
      'name: x\npolicy: strickt\nphases: 1',
      '2:9: "policy": expected one of "ensemble", "fleet", "tsp", "phased", "strict"',
    ],
    ['name: x\nlimits: { tokens: many }\nphases: 1', '2:19: "tokens": expected a number, found text'],
  ])('%j is refused', (source, message) => {
    expect(problemsOf(source)).toContain(message);
  });

  it('is refused quickly if its aliases would expand without end', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `l${level}: &l${level} [${Array(10)
          .fill(level === 0 ? 'x' : `*l${level - 1}`)
          .join(', ')}]`,
    );
    expect(problemsOf(levels.join('\n'))).toContain('Excessive alias count');
  });
});

describe('the JSON Schema of pipeline files', () => {
  it('is the one in the package; `npm run schema` writes it', async () => {
    const shipped: unknown = JSON.parse(
      await readFile(new URL('../schema/pipeline.schema.json', import.meta.url), 'utf8'),
    );
    expect(JSON.parse(JSON.stringify(pipelineJsonSchema()))).toEqual(shipped);
  });
});

describe('the JSON Schema for editors', () => {
  interface Part {
    readonly properties?: Readonly<Record<string, Part>>;
    readonly required?: readonly string[];
    readonly items?: Part;
    readonly anyOf?: readonly Part[];
    readonly oneOf?: readonly Part[];
    readonly description?: string;
    readonly default?: unknown;
  }

  /** Returns every option by its path, and marks required ones. */
  function optionsOf(part: Part, place = ''): readonly { place: string; option: Part; needed: boolean }[] {
    const { properties = {}, required = [], items, anyOf = [], oneOf = [] } = part;
    const own = Object.entries(properties).flatMap(([key, option]) => [
      { place: `${place}/${key}`, option, needed: required.includes(key) },
      ...optionsOf(option, `${place}/${key}`),
    ]);
    return [...own, ...[...(items ? [items] : []), ...anyOf, ...oneOf].flatMap((one) => optionsOf(one, place))];
  }

  const options = optionsOf(JSON.parse(JSON.stringify(pipelineJsonSchema())) as Part);

  it('describes every option', () => {
    expect(options.length).toBeGreaterThan(150);
    expect(options.filter(({ option }) => (option.description ?? '').length < 10).map(({ place }) => place)).toEqual(
      [],
    );
  });

  it('has the default of every option, or the meaning of its absence', () => {
    const untold = options.filter(
      ({ option, needed }) =>
        !needed && option.default === undefined && !/[Ww]ithout (?:it|one)/u.test(option.description ?? ''),
    );
    expect(untold.map(({ place }) => place)).toEqual([]);
  });

  it('has the real defaults of gates', () => {
    const told = new Map(options.map(({ place, option }) => [place, option.default]));
    const { inbox: _, reviewBackoff: __, ...plain } = gateDefaults;
    for (const [key, value] of Object.entries(plain)) {
      expect(told.get(`/phases/review/${key}`), key).toEqual(value);
      expect(told.get(`/policy/${key}`), key).toEqual(value);
    }
  });
});

describe('milliseconds()', () => {
  it.each([
    [250, 250],
    ['500ms', 500],
    ['1.5s', 1500],
    ['2 m', 120_000],
    ['3h', 10_800_000],
  ])('parses %j', (given, expected) => {
    expect(milliseconds(given)).toBe(expected);
  });
});

describe('nearest()', () => {
  const KEYS = ['name', 'phases', 'policy', 'limits', 'maxRetries'];

  it.each([
    ['nmae', 'name'],
    ['phase', 'phases'],
    ['Policy', 'policy'],
    ['max_retries', 'maxRetries'],
    ['x', undefined],
    ['concurrency', undefined],
  ])('finds for %s %s', (word, expected) => {
    expect(nearest(word, KEYS)).toBe(expected);
  });
});
