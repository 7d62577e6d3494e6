/** Runs that another process of this machine holds: it is dead, alive, or does not answer. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readRun } from '../../src/index.ts';
import type { Lease } from '../../src/store.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connectionOf } from '../../src/store/sqlite/connection.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { storeOn } from '../../src/store/sqlite/store.ts';
import { article, containing, idIn, leftAtWork, matching, put, ran, startUntil } from './article.ts';
import { askAt, cookieOf, until, type Asking } from '../server/rig.ts';
import { files, phasegateProcess as phasegate, start } from './cli.ts';

const DAY = 86_400_000;

/** Makes the lease of a run one that expired a day ago. @param holder Takes the lease if the run has none. */
async function lapse(cwd: string, runId: string, holder?: string): Promise<void> {
  const path = join(cwd, '.phasegate/runs.db');
  const opening = { path, readOnly: false };
  const store = storeOn(connectionOf(openDatabase(opening), opening), () => Date.now() - DAY);
  const lease: Lease | undefined =
    holder === undefined ? (await store.run(runId))?.lease : await store.acquire(runId, holder, 1);
  if (!lease) throw new Error('Nobody has it.');
  await store.renew(lease, 1);
  await store.close();
}

describe('a run whose lease a process of this machine has let lapse', () => {
  it('is not taken from a live process, however old its lease is', async () => {
    const cwd = await article();
    // SIGSTOP makes it hang, as a blocked event loop would.
    const { child, ended } = await startUntil(['run', 'p.mjs', '--run-id', 'slow'], 'at work', cwd);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.kill('SIGSTOP');
    await lapse(cwd, 'slow');
    await put(cwd, 'go');
    const before = await recordsOf(cwd, 'slow');
    for (const command of [['resume'], ['cancel'], ['rm']]) {
      const { code, stdout, stderr } = await phasegate([...command, 'slow'], { cwd });
      expect([command, stderr]).toEqual([
        command,
        matching(
          new RegExp(
            String.raw`^Cannot take run slow from process ${child.pid} on .* as that process is alive but does not respond.*\n.*: kill -9 ${child.pid}\nDocs: .*#RUN_LEASED\n$`,
            'u',
          ),
        ),
      ]);
      expect([stdout, code]).toEqual(['', 2]);
    }
    expect(await ran(cwd)).toEqual(['read', 'write']);
    expect(await recordsOf(cwd, 'slow')).toEqual(before);

    child.kill('SIGKILL');
    await ended;
    expect(await phasegate(['resume', 'slow'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });

  it('is not taken from a live process by the dashboard either, which says so', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs', '--run-id', 'slow'], 'at work', cwd);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.kill('SIGSTOP');
    await lapse(cwd, 'slow');
    await put(cwd, 'go');
    const holder = matching(new RegExp(`^process ${child.pid} on `, 'u'));
    expect((await phasegate(['show', 'slow'], { cwd })).stdout).toMatch(
      new RegExp(
        String.raw`^run slow of "article"  running\n(?:.*\n)*  process ${child.pid} on .* works on it but does not answer$`,
        'mu',
      ),
    );
    expect((await phasegate(['ls'], { cwd })).stdout).toMatch(/^slow +running/mu);

    const { get, post } = await dashboardOf(cwd);
    expect(await get('/api/runs/slow')).toMatchObject({
      standing: 'running',
      worker: null,
      hung: holder,
      gone: null,
      actions: ['fork'],
    });
    expect(await get('/api/troubles')).toMatchObject({
      troubles: [{ runId: 'slow', code: 'HUNG', severity: 'problem' }],
    });
    const before = await recordsOf(cwd, 'slow');
    for (const action of ['cancel', 'retry', 'resume'])
      expect([action, await post(`/api/runs/slow/${action}`)]).toMatchObject([
        action,
        { error: { code: 'RUN_LEASED' } },
      ]);
    expect(await ran(cwd)).toEqual(['read', 'write']);
    expect(await recordsOf(cwd, 'slow')).toEqual(before);

    child.kill('SIGKILL');
    await ended;
    expect(await get('/api/runs/slow')).toMatchObject({ standing: 'suspended', hung: null, gone: holder });
    expect(await post('/api/runs/slow/cancel')).toMatchObject({ run: { standing: 'cancelled' } });
    expect(await ran(cwd)).toEqual(['read', 'write']);
  });

  it('is not taken if the identity of the process is unknown, and other options are listed', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    await lapse(cwd, id, `process ${process.pid} on ${hostname()}`);
    const { code, stderr } = await phasegate(['resume', id], { cwd });
    expect(stderr).toMatch(new RegExp(String.raw`another program.* new run: phasegate fork ${id} --at \d+\n`, 'u'));
    expect(code).toBe(2);
  });

  it.each([
    ['another process has its number by now', `process ${process.pid} on ${hostname()} (start 1)`, /^$/u],
    ['it was on another machine', `process ${process.pid} on elsewhere (start 1)`, /still be at work there/u],
  ])('is taken if %s', async (_, holder, note) => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    await lapse(cwd, id, holder);
    await put(cwd, 'go');
    const { code, stderr } = await phasegate(['resume', id], { cwd });
    expect(stderr).toMatch(note);
    expect(code).toBe(0);
  });
});

describe('a run whose process was killed', () => {
  it('is reported as left by a dead process, with the command that resumes it', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs', '--run-id', 'r', '--store', 'x.db'], 'at work', cwd);
    const at = { cwd };
    const look = async (...args: readonly string[]) => (await phasegate([...args, '--store', 'x.db'], at)).stdout;
    expect(await look('show', 'r')).toContain(`process ${child.pid} on ${hostname()}`);
    expect(await look('ls')).toMatch(/^r +running/mu);
    child.kill('SIGKILL');
    await ended;
    const shown = await look('show', 'r');
    expect(shown).toMatch(/^run r of "article" {2}suspended$/mu);
    expect(shown).toMatch(new RegExp(String.raw`^  process ${child.pid} on .* worked on it and has ended$`, 'mu'));
    expect(shown).toMatch(/^ {2}resume with: phasegate resume r --store x\.db$/mu);
    expect(shown).not.toContain('works on it');
    expect(await look('ls')).toMatch(/^r +suspended/mu);
    expect(await look('ls', '--status', 'suspended')).toMatch(/^r +suspended/mu);
    expect(JSON.parse(await look('ls', '--json'))).toMatchObject({ standing: 'suspended', holder: null });
    expect(JSON.parse(await look('report', 'r', '--json'))).toMatchObject({ standing: 'suspended' });
    expect(await look('report', 'r')).toContain('suspended');

    // A dead holder does not keep gc from shrinking the store.
    expect(await look('gc', '--keep', '1d')).toBe('0 runs removed\n');
    const store = sqliteStore(join(cwd, 'x.db'), { readOnly: true });
    expect(await store.runs({ leased: true })).toEqual([]);
    await store.close();
    expect(await look('ls')).toMatch(/^r +suspended/mu);
  });

  it('is told apart from a run whose process lives and has not applied an answer yet', async () => {
    const cwd = await article('go', 'ask');
    const { child, ended } = await startUntil(['run', 'p.mjs', '--run-id', 'r', '--wait'], 'Legal must see this.', cwd);
    const item = await untilAsked(join(cwd, '.phasegate/runs.db'));
    child.kill('SIGSTOP');
    const works = new RegExp(
      String.raw`; process ${child.pid} on .* works on the run and has not applied it yet\n`,
      'u',
    );
    const first = await phasegate(['inbox', 'answer', item, '--approve'], { cwd });
    expect([first.code, first.stdout]).toEqual([0, matching(works)]);
    const second = await phasegate(['inbox', 'answer', item, '--approve'], { cwd });
    expect([second.code, second.stderr]).toEqual([2, matching(works)]);
    child.kill('SIGCONT');
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('applies an answer when it is resumed, which the message promises', async () => {
    const cwd = await article('go', 'ask');
    const command = ['run', 'p.mjs', '--run-id', 'r', '--store', 'x.db', '--wait'];
    const { child, ended } = await startUntil(command, 'Legal must see this.', cwd);
    const item = await untilAsked(join(cwd, 'x.db'));
    child.kill('SIGKILL');
    await ended;
    const shown = await phasegate(['show', 'r', '--store', 'x.db'], { cwd });
    expect(shown.stdout).toMatch(/^run r of "article" {2}waiting$/mu);
    expect(shown.stdout).toContain('resume with: phasegate resume r --store x.db\n');
    expect(await phasegate(['inbox', 'answer', item, '--approve', '--store', 'x.db'], { cwd })).toEqual({
      code: 0,
      stdout: matching(
        /^answered; it is applied when the run resumes: phasegate work \S+p\.mjs --store x\.db, or phasegate resume r --store x\.db\n$/u,
      ),
      stderr: '',
    });
    expect(await phasegate(['resume', 'r', '--store', 'x.db'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a run that was taken over', () => {
  it('is not called failed, nor its store broken, by the process that lost it', async () => {
    const cwd = await files({ 'p.mjs': PATIENT });
    const first = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    onTestFinished(() => void first.child.kill('SIGKILL'));
    first.child.kill('SIGSTOP');
    const id = await onlyRun(cwd);
    await lapse(cwd, id);
    // Another machine or a program would acquire the lease so, as it does not check that process.
    const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
    await store.acquire(id, 'process 7 on elsewhere', 30_000);
    await store.close();
    await put(cwd, 'go');
    first.child.kill('SIGCONT');
    const { code, stdout, stderr } = await first.ended;
    expect(code).toBe(1);
    expect(idIn({ stdout })).toBe(id);
    expect(stderr).toBe('');
    expect(stdout).toContain('✗ lost to another process after ');
    expect(stdout).toContain(`Cannot continue run ${id} as process ${first.child.pid} on ${hostname()}`);
    expect(stdout).toContain('another process has resumed it, process 7 on elsewhere; this process has stopped');
    expect(stdout).toEqual(containing('Nothing needs repair. Show the status of the run: phasegate show'));
    expect(stdout).toContain(`  process 7 on elsewhere works on it: phasegate events ${id} --follow`);
    expect(stdout).not.toMatch(/Repair|given back|resume with|failed/u);
  });
});

// --- internal ---

/** A pipeline that works until the file `go` exists. */
const PATIENT = `
import { definePipeline, phase, task } from 'phasegate';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
export default definePipeline({ name: 'patient', phases: [
  phase('draft', { tasks: [task('write', { run: async ({ report }) => {
    report({ progress: 'at work' });
    while (!existsSync('go')) await setTimeout(20);
    return 'text';
  } })] }),
  phase('print', { after: ['draft'], tasks: [task('print', { run: () => 'never' })] }),
] });
`;

/** Waits for a pending item. @returns Its id. */
async function untilAsked(file: string): Promise<string> {
  const store = sqliteStore(file, { readOnly: true });
  for (;;) {
    const [item] = await store.inbox({ open: true });
    if (!item) await new Promise((resolve) => setTimeout(resolve, 50));
    else {
      await store.close();
      return item.id;
    }
  }
}

/** Starts a dashboard, which ends with the test. @returns A client for it. */
async function dashboardOf(cwd: string) {
  const { child } = start(['ui', '--port', '0'], { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout?.on('data', (more: string) => (printed += more));
  await until(() => printed.endsWith('\n'));
  const url = printed.trim().replace('dashboard: ', '');
  const { origin } = new URL(url);
  const cookie = await cookieOf(url);
  const headers = { cookie, origin, 'content-type': 'application/json' };
  const json = async (path: string, asking: Asking): Promise<unknown> =>
    JSON.parse((await askAt(`${origin}${path}`, asking)).text);
  return {
    get: (path: string) => json(path, { headers }),
    post: (path: string) => json(path, { method: 'POST', headers, body: '{}' }),
  };
}

async function recordsOf(cwd: string, runId: string): Promise<readonly unknown[]> {
  const store = sqliteStore(join(cwd, '.phasegate/runs.db'), { readOnly: true });
  const records = await readRun(store, runId);
  await store.close();
  return records;
}

async function onlyRun(cwd: string): Promise<string> {
  const store = sqliteStore(join(cwd, '.phasegate/runs.db'), { readOnly: true });
  const [run] = await store.runs();
  await store.close();
  return run?.runId ?? '';
}
