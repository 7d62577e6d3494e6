/** The way from a plan to the work: each step names the next one. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { git, put } from '../workspaces/rig.ts';
import { phasegate } from './cli.ts';

const PLAN = {
  goal: 'Add two files.',
  subtasks: [
    { id: '1', title: 'First', description: 'Write 1.', files_touched: ['1.txt'] },
    { id: '2', title: 'Second', description: 'Write 2.', depends_on: ['1'] },
  ],
};

/** An agent that notes its calls, makes the plan, and writes a file for each subtask. */
const AGENT = `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
  const task = process.env.PHASEGATE_TASK;
  readFileSync(0);
  appendFileSync(process.argv[2], task + '\\n');
  if (task === 'plan') console.log('\`\`\`json\\n' + ${JSON.stringify(JSON.stringify(PLAN))} + '\\n\`\`\`');
  else writeFileSync(task + '.txt', task);`;

/** The plan as the commands write it, with its defaults. */
const WRITTEN = {
  goal: 'Add two files.',
  plan_markdown: '',
  subtasks: [
    { id: '1', title: 'First', description: 'Write 1.', depends_on: [], files_touched: ['1.txt'] },
    { id: '2', title: 'Second', description: 'Write 2.', depends_on: ['1'], files_touched: [] },
  ],
};

const place = { cwd: '', agent: '', calls: '' };

beforeEach(async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'phasegate-')));
  place.cwd = join(home, 'user');
  place.calls = join(home, 'calls');
  await put(home, 'agent.mjs', AGENT);
  await put(place.cwd, '.gitignore', '*.json\n');
  await git(place.cwd, 'init', '-q');
  await git(place.cwd, 'add', '-A');
  await git(place.cwd, 'commit', '-q', '-m', 'Begin');
  place.agent = `command:${process.execPath} ${join(home, 'agent.mjs')} ${place.calls}`;
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  return async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true, force: true });
  };
});

function run(...args: readonly string[]) {
  return phasegate(args, { cwd: place.cwd });
}

/** Has the agent plan, as the run `plan`. */
function planned(...flags: readonly string[]) {
  return run('plan', 'Add two files.', '--agent', place.agent, '--run-id', 'plan', ...flags);
}

/** Carries out a plan. @returns The branch's files. */
async function carriedOut(file: string): Promise<readonly string[]> {
  const { code, stderr } = await run('fleet', '--plan', file, '--agent', place.agent, '--yes', '--run-id', 'work');
  expect([code, stderr]).toEqual([0, '']);
  return (await git(place.cwd, 'ls-tree', '-r', '--name-only', 'phasegate/work')).split('\n');
}

async function save(file: string, text: string): Promise<void> {
  await writeFile(join(place.cwd, file), text);
}

function lastLine(text: string): string | undefined {
  return text.trimEnd().split('\n').at(-1);
}

describe('phasegate plan -o', () => {
  it('writes the approved plan, and names the command that carries it out', async () => {
    const { code, stdout, stderr } = await planned('--yes', '-o', 'plan.json');
    expect([code, stderr]).toEqual([0, '']);
    expect(lastLine(stdout)).toBe(`  carry it out with: phasegate fleet --plan plan.json --agent '${place.agent}'`);
    expect(stdout.match(/carry it out/gu)).toHaveLength(1);
    expect(JSON.parse(await readFile(join(place.cwd, 'plan.json'), 'utf8'))).toEqual(WRITTEN);
    expect(await carriedOut('plan.json')).toEqual(['.gitignore', '1.txt', '2.txt']);
  });

  it('prints nothing but records with --json', async () => {
    const { stdout } = await planned('--yes', '-o', 'plan.json', '--json');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => Object.hasOwn(JSON.parse(line) as object, 'seq')),
    ).not.toContain(false);
    expect(existsSync(join(place.cwd, 'plan.json'))).toBe(true);
  });

  it('refuses a file that exists, and a folder that does not, before the agent starts', async () => {
    await save('plan.json', 'mine');
    const exists = await planned('--yes', '-o', 'plan.json');
    expect(exists.code).toBe(2);
    expect(exists.stderr).toContain('Cannot write the plan to "plan.json" as the file exists already\n');
    const nowhere = await planned('--yes', '-o', 'no/plan.json');
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('FILE_UNREADABLE')]);
    expect(await readFile(join(place.cwd, 'plan.json'), 'utf8')).toBe('mine');
    expect(existsSync(place.calls)).toBe(false);
  });

  it('says that a plan without an approval is not written, and how to get it afterwards', async () => {
    const { stderr } = await planned('-o', 'plan.json');
    expect(stderr).toBe(
      'phasegate: "plan.json" was not written, as the plan is not approved. Once it is: phasegate show plan --json > plan.json\n',
    );
    expect(existsSync(join(place.cwd, 'plan.json'))).toBe(false);
  });

  it('is the only place of a plan without a store, which the last line says if it is missing', async () => {
    const lost = await planned('--yes', '--store', 'memory');
    expect(lastLine(lost.stdout)).toBe('  its plan is kept nowhere: give -o <file>, or a store');
    await planned('--yes', '--store', 'memory', '--run-id', 'other', '-o', 'plan.json');
    expect(JSON.parse(await readFile(join(place.cwd, 'plan.json'), 'utf8'))).toEqual(WRITTEN);
  });
});

describe('phasegate fleet --plan', () => {
  it('takes the plan of a run from the output of show --json, as the last line of plan says', async () => {
    const { stdout } = await planned('--yes');
    expect(lastLine(stdout)).toBe(
      `  carry it out with: phasegate show plan --json > plan.json && phasegate fleet --plan plan.json --agent '${place.agent}'`,
    );
    await save('plan.json', (await run('show', 'plan', '--json')).stdout);
    expect(await carriedOut('plan.json')).toEqual(['.gitignore', '1.txt', '2.txt']);
  });

  it('has no work to apply, and names the way to it', async () => {
    await planned();
    const { code, stderr } = await run('apply', 'latest');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Cannot apply run plan as it only made a plan') as string,
    });
    const [, line = ''] = /with: (.*)$/mu.exec(stderr) ?? [];
    expect(line).toBe('phasegate show plan --json > plan.json && phasegate fleet --plan plan.json');
  });

  it('refuses a run without an approved plan, and takes the plan once it is approved', async () => {
    await planned();
    const shown = (await run('show', 'plan', '--json')).stdout;
    await save('plan.json', shown);
    const refused = await run('fleet', '--plan', 'plan.json', '--agent', place.agent, '--yes');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Cannot read the plan "plan.json" as its run plan has no approved plan\n');
    const { items } = JSON.parse(shown) as { readonly items: readonly { readonly id: string }[] };
    await run('inbox', 'answer', items[0]?.id ?? '', '--approve');
    const { stdout } = await run('resume', 'plan');
    expect(lastLine(stdout)).toBe(
      '  carry it out with: phasegate show plan --json > plan.json && phasegate fleet --plan plan.json',
    );
    await save('plan.json', (await run('show', 'plan', '--json')).stdout);
    expect(await carriedOut('plan.json')).toEqual(['.gitignore', '1.txt', '2.txt']);
  });

  it('refuses the plan of a phase that works again, as a later one may replace it', async () => {
    const plan = { status: 'running', outputs: { plan: PLAN } };
    await save('plan.json', JSON.stringify({ runId: 'plan', phases: { plan } }));
    const { code, stderr } = await run('fleet', '--plan', 'plan.json', '--agent', place.agent, '--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('as its run plan has no approved plan\n')]);
    expect(existsSync(place.calls)).toBe(false);
  });

  it('takes a plan that begins with a byte order mark', async () => {
    await save('plan.json', `\uFEFF${JSON.stringify(PLAN)}`);
    expect(await carriedOut('plan.json')).toEqual(['.gitignore', '1.txt', '2.txt']);
  });

  it('names the flag that shows all of a plan that waits for a person', async () => {
    await planned();
    const { items } = JSON.parse((await run('show', 'plan', '--json')).stdout) as {
      readonly items: readonly { readonly id: string }[];
    };
    const id = items[0]?.id ?? '';
    const { stdout } = await run('inbox', 'show', id);
    expect(stdout).toMatch(/^ +… \d+ more lines: --json has all of them$/mu);
    expect((await run('inbox', 'show', id, '--json')).stdout).toContain('"Write 2."');
  });
});

describe('phasegate fleet --run-id', () => {
  it('refuses an id for the second time, also after rm, and says how to go on', async () => {
    await save('plan.json', JSON.stringify(PLAN));
    await carriedOut('plan.json');
    const again = () => run('fleet', '--plan', 'plan.json', '--agent', place.agent, '--yes', '--run-id', 'work');
    const known = await again();
    expect(known.code).toBe(2);
    expect(known.stderr).toContain('Cannot start fleet work as there is one of that id: ');
    expect(known.stderr).toContain('\nContinue it: phasegate resume work. Or give another --run-id.');
    expect(known.stderr).toContain('#FILE_EXISTS');
    expect((await run('rm', 'work')).code).toBe(0);
    const removed = await again();
    expect(removed.code).toBe(2);
    expect(removed.stderr).toContain(
      'Cannot use the id work again as the repository has work of an earlier run with it: ',
    );
    expect(removed.stderr).toContain('#RUN_EXISTS');
  });
});
