/** Agents in pipeline files. */
import { describe, expect, it } from 'vitest';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { pipelineOf } from '../src/cli/load/yaml/load.ts';
import { startRun } from '../src/index.ts';
import { acpText } from './agents/lines.ts';
import { folderOfTest, scriptedIn } from './agents/rig.ts';

/** An agent that writes its prompt into a file. */
const AGENT = `import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync('done.txt', readFileSync(0, 'utf8'));
console.log('Done.');
`;

function problemsOf(source: string): readonly string[] {
  try {
    pipelineOf(source, 'p.yaml', '.');
    return [];
  } catch (error) {
    return [...String(error).matchAll(/p\.yaml:(\d+:\d+: .*)\n/gu)].map(([, text = '']) => text);
  }
}

describe('agents in a pipeline file', () => {
  it('do tasks and review in the directory of the file, if there are no workspaces', async () => {
    const folder = folderOfTest();
    const agent = join(folder, 'agent.mjs');
    writeFileSync(agent, AGENT);
    const source = `
name: p
workspace: none
phases:
  - name: build
    tasks:
      - { name: code, agent: [${process.execPath}, ${agent}], prompt: Add the endpoint., retry: { attempts: 1 } }
      - { name: count, command: [cat, done.txt], after: [code] }
`;
    const { status, outputs } = await startRun(pipelineOf(source, 'p.yaml', folder)).result;
    expect([status, outputs?.['build']]).toMatchObject(['completed', { code: 'Done.' }]);
    expect(readFileSync(join(folder, 'done.txt'), 'utf8')).toContain('Add the endpoint.');
  });

  it('are programs with spaces in their paths and arguments', async () => {
    const folder = join(folderOfTest(), 'my agents');
    mkdirSync(folder);
    const agent = join(folder, 'agent.mjs');
    writeFileSync(agent, 'console.log(JSON.stringify(process.argv.slice(2)));');
    const { program, cwd } = scriptedIn(folder, [
      [
        { type: 'json', line: acpText('Made.') },
        { type: 'stop', response: { stopReason: 'end_turn' } },
      ],
    ]);
    const acp = `acp:${program.map((word) => `"${word}"`).join(' ')} --acp`;
    const source = String.raw`
name: p
workspace: none
phases:
  - name: build
    tasks:
      - name: plain
        agent: command:"${process.execPath}" "${agent}" 'two words' a"b c"d "" $HOME C:\new\table 'C:\My Agents\'
        prompt: Work.
      - { name: spoken, agent: ${JSON.stringify(acp)}, prompt: Work., after: [plain] }
`;
    const { outputs } = await startRun(pipelineOf(source, 'p.yaml', cwd)).result;
    const { plain, spoken } = z.object({ plain: z.string(), spoken: z.string() }).parse(outputs?.['build']);
    const words = ['two words', 'ab cd', '', '$HOME', String.raw`C:\new\table`, String.raw`C:\My Agents${'\\'}`];
    expect(JSON.parse(plain)).toEqual(words);
    expect(spoken).toContain('Made.');
  });

  it('are programs that get their prompt in place of {prompt} in their line', async () => {
    const cwd = folderOfTest();
    writeFileSync(join(cwd, 'agent.mjs'), 'console.log(JSON.stringify(process.argv.slice(2)));');
    const program = [process.execPath, join(cwd, 'agent.mjs'), '--say', 'Do: {prompt}'];
    const source = `
name: p
workspace: none
phases:
  - name: build
    tasks:
      - { name: line, agent: ${JSON.stringify(`command:${program.map((word) => `"${word}"`).join(' ')}`)}, prompt: Work. }
      - { name: list, agent: ${JSON.stringify(program)}, prompt: $HOME, after: [line] }
`;
    const { outputs } = await startRun(pipelineOf(source, 'p.yaml', cwd)).result;
    const { line, list } = z.object({ line: z.string(), list: z.string() }).parse(outputs?.['build']);
    expect([line, list].map((text) => JSON.parse(text) as unknown)).toEqual([
      ['--say', expect.stringMatching(/^Do: Work\./u)],
      ['--say', expect.stringMatching(/^Do: \$HOME/u)],
    ]);
  });

  it.runIf(process.platform === 'linux')('are refused a prompt that is too long for an argument', async () => {
    const task = `{ name: t, agent: 'command:echo {prompt}', prompt: ${'é'.repeat(90_000)} }`;
    const source = `name: p\nworkspace: none\nphases: [{ name: a, tasks: [${task}] }]\n`;
    const result = await startRun(pipelineOf(source, 'p.yaml', folderOfTest())).result;
    expect(JSON.stringify(result)).toContain('The prompt is too long for an argument: give it on standard input.');
  });

  it.each([
    [`command:x 'a b`, `a quote needs its end: 'a b. Close`],
    ['acp:"a b', 'a quote needs its end: "a b. Close'],
    [String.raw`acp:/my\ agents/a`, String.raw`a backslash escapes nothing: \ agents/a. Put`],
    [String.raw`command:x "say \"yes\""`, String.raw`a backslash escapes nothing: \"yes\"". Put`],
    [String.raw`command:it\'s`, String.raw`a backslash escapes nothing: \'s. Put`],
    [`command:x "${'y'.repeat(200)}`, `a quote needs its end: "${'y'.repeat(79)}…. Close`],
    ['command:"" x', 'Cannot make a command of ["","x"] as it is empty'],
  ])('are refused at their place with the line %s', (agent, problem) => {
    const tasks = `      - { name: t, agent: ${JSON.stringify(agent)}, prompt: x }\n`;
    const [found, ...more] = problemsOf(`name: p\nworkspace: none\nphases:\n  - name: a\n    tasks:\n${tasks}`);
    expect(found).toContain('6:27: "agent": ');
    expect(found).toContain(problem);
    expect(more).toEqual([]);
  });

  it('have the same forms as on the command line, and options', () => {
    const agents = [
      'claude',
      '"acp:opencode acp"',
      '"command:node agent.mjs"',
      '[node, agent.mjs, --level, 1.0]',
      '{ profile: codex, model: gpt-5, args: [--config, 1.0], program: [npx, codex], env: { A: 1 } }',
      '{ acp: [gemini, --acp], readMode: ask, reports: { tokens: true } }',
      '{ command: [aider, --file, "{prompt}"], prompt: file, readOnly: [aider, --dry-run, --file, "{prompt}"], name: aider }',
    ];
    const tasks = agents.map((agent, at) => `      - { name: t${at}, agent: ${agent}, prompt: Work. }\n`).join('');
    const { plan } = pipelineOf(
      `name: p\nworkspace: none\nphases:\n  - name: a\n    tasks:\n${tasks}    review: { by: { agent: { profile: claude }, prompt: It is good. } }`,
      'p.yaml',
      '.',
    );
    expect(plan.phases[0]?.tasks.map(({ description, attempts }) => [description, attempts])).toEqual(
      agents.map(() => ['Work.', 3]),
    );
    expect(plan.phases[0]?.gate?.reviewers).toMatchObject([{ name: 'review', attempts: 3 }]);
  });

  it('leave the names of the own tasks and of the last phase to a pipeline with folders', () => {
    const source = (workspace: string) => `
name: p
workspace: ${workspace}
phases:
  - name: plan
    mode: sequential
    tasks:
      - { name: base, agent: claude, prompt: Plan. }
      - { name: integrate, command: [cat] }
  - name: hand-over
    after: [plan]
    tasks: [{ name: publish, command: [cat] }]
`;
    const isReserved = (name: string, what: string) =>
      `"name": "${name}" is reserved in a pipeline with "workspace", ${what}. Choose another name.`;
    expect(problemsOf(source('clone'))).toEqual([
      `8:17: ${isReserved('base', 'as each phase has a task of that name of its own')}`,
      `9:17: ${isReserved('integrate', 'as each phase has a task of that name of its own')}`,
      `10:11: ${isReserved('hand-over', 'as its last phase has that name')}`,
    ]);
    expect(problemsOf(source('clone').replace('[plan]', '[plam]'))).toContainEqual(expect.stringContaining('"plam"'));
    expect(problemsOf(source('none'))).toEqual([]);
  });

  it('have all of their problems reported at once, at their places', () => {
    expect(
      problemsOf(`name: p
limits: { costUsd: 5 }
phases:
  - name: a
    tasks:
      - { name: t, agent: cloude, prompt: x }
      - { name: u, agent: claude, command: [x], prompt: x }
      - { name: v, agent: codex, shell: true }
      - { name: w, prompt: x, permissions: { commands: allow } }
      - { name: x, agent: { profile: claude, acp: [x] }, prompt: x }
      - { name: y, agent: { acp: [x], model: y }, prompt: x }
      - { name: z, agent: { command: [x, "{prompt}"] }, prompt: " ", permissions: { comands: allow } }
    review:
      by:
        - { name: r, agent: claude }
        - { name: s, agent: 7, prompt: x }
        - { name: s, agent: {}, prompt: x }
`),
    ).toMatchInlineSnapshot(`
      [
        "6:27: "agent": expected claude, codex, gemini, acp:<line> or command:<line>",
        "7:27: "agent": expected either "agent" or "command"",
        "8:9: "prompt": expected the work of the agent in words",
        "8:27: "agent": a task of an agent needs "workspace" of the pipeline: clone gives each agent a folder of its own, none lets it change the directory of this file",
        "8:41: "shell": expected with "command" only",
        "9:9: "command": expected a program with its arguments, or "agent"",
        "9:28: "prompt": expected with "agent" only",
        "9:44: "permissions": expected with "agent" only",
        "10:27: "agent": expected one of "profile", "acp", "command"",
        "11:46: "model": expected with "profile" only",
        "12:27: "agent": a task of an agent needs "workspace" of the pipeline: clone gives each agent a folder of its own, none lets it change the directory of this file",
        "12:27: "agent": Cannot make an agent "x" of \`x '{prompt}'\` as it has {prompt}, and the prompt is on standard input. Write {prompt} in one argument with \`prompt: 'file'\` or 'argument', and nowhere without.",
        "12:65: "prompt": expected words",
        "12:85: unknown key "comands". Did you mean "commands"?",
        "15:11: "prompt": expected the work of the agent in words",
        "16:29: "agent": expected text, found a number, or expected a list, found a number, or expected keys with values, found a number",
        "17:29: "agent": expected one of "profile", "acp", "command"",
      ]
    `);
    expect(
      problemsOf(`name: p
limits: { costUsd: 5, tokens: 100 }
phases:
  - name: a
    after: [b]
    tasks:
      - { name: t, agent: codex, prompt: x }
      - { name: u, agent: { command: [x, "{prompt}"] }, prompt: x }
    review:
      by: { agent: [x], prompt: It is good. }
`),
    ).toMatchInlineSnapshot(`
      [
        "5:13: phase "a": it comes after "b", which is not a phase of this pipeline. Add that phase, or correct the name; the only phase is "a".",
        "7:27: "agent": a task of an agent needs "workspace" of the pipeline: clone gives each agent a folder of its own, none lets it change the directory of this file",
        "8:27: "agent": a task of an agent needs "workspace" of the pipeline: clone gives each agent a folder of its own, none lets it change the directory of this file",
        "8:27: "agent": Cannot make an agent "x" of \`x '{prompt}'\` as it has {prompt}, and the prompt is on standard input. Write {prompt} in one argument with \`prompt: 'file'\` or 'argument', and nowhere without.",
        "10:20: "agent": Cannot let agent "x" do "review" as it cannot promise to change nothing. Give its line for turns that only read (\`readOnly\`), or use another agent.",
      ]
    `);
    expect(
      problemsOf(`name: p
workspace: none
limits: { costUsd: 5, tokens: 100 }
phases:
  - name: a
    tasks:
      - { name: t, agent: codex, prompt: x }
      - { name: u, agent: [x], prompt: x, estimate: { costUsd: 1 } }
    review:
      by: { agent: { command: [x], readOnly: true }, prompt: It is good., estimate: { costUsd: 1, tokens: 1 } }
`),
    ).toMatchInlineSnapshot(`
      [
        "7:9: phase "a", task "t": a limit counts \`costUsd\`, which it neither reports nor estimates. Give \`estimate: { costUsd: … }\` with the most US dollars that one try may use (--estimate-cost of \`phasegate fleet\`), or remove the limit.",
        "8:9: phase "a", task "u": a limit counts \`tokens\`, which it neither reports nor estimates. Give \`estimate: { tokens: … }\` with the most tokens that one try may use (--estimate-tokens of \`phasegate fleet\`), or remove the limit.",
      ]
    `);
  });
});
