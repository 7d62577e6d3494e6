/** Moves of the user's files that are stopped on the way: by an abort, by the end of the process, and by the end of git. */
import { fork } from 'node:child_process';
import { readFile, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { applyRun } from '../../src/workspaces/operations/apply-run.ts';
import { makeLab, pictureOf, placeOf, put, shell, signal, useFolder, workAt, type Lab } from './rig.ts';

const folder = useFolder();
const SLOW = { timeout: 20_000 };

const apply = (lab: Lab, its = signal) => applyRun({ repository: lab.user, root: lab.root, run: 'run', signal: its });

/** A move that stands still before its last file, until it is let go. */
interface Held {
  readonly lab: Lab;
  readonly to: string;
  /** Waits until git has moved all files but the last. @returns The number of its process group. */
  readonly reached: () => Promise<number>;
  readonly release: () => Promise<void>;
}

/** Prepares a run that changes, adds and deletes files. A filter of the user holds git up before the last one. */
async function held(): Promise<Held> {
  const lab = await makeLab(folder.path);
  const away = join(lab.user, '..');
  const [began, gate, script] = [join(away, 'began'), join(away, 'gate'), join(away, 'smudge.sh')];
  await put(
    away,
    'smudge.sh',
    `ps -o pgid= -p $$ > '${began}.new'; mv '${began}.new' '${began}'
while [ ! -e '${gate}' ]; do sleep 0.02; done
echo 'A word on standard error' >&2; cat
`,
  );
  await lab.put('other.txt', 'other\n');
  await lab.put('early.txt', 'early\n');
  await lab.git('add', '-A');
  await lab.git('commit', '-q', '-m', 'Add other files');
  const workspaces = lab.workspaces();
  const { base } = await workspaces.start({ run: 'run', signal });
  const line =
    'echo moved | tee a.txt early.txt; rm src/b.txt; mkdir new; echo 1 | tee new/1 early-new; ln -s a.txt link; echo last > z.txt';
  const { snapshot } = await workAt(workspaces, base, placeOf(), (path) => shell(path, line));
  await workspaces.publish({ run: 'run', commit: snapshot.commit, signal });
  // Git has several processes write the files without a filter, after the others. It has removed them by then.
  await put(lab.user, '.git/info/attributes', 'early* filter=plain\nz.txt filter=slow\n');
  for (const one of ['smudge', 'clean']) await lab.git('config', `filter.plain.${one}`, 'cat');
  await lab.git('config', 'filter.slow.smudge', `sh '${script}'`);
  await lab.git('config', 'filter.slow.clean', 'cat');
  await lab.git('config', 'filter.slow.required', 'true');
  return {
    lab,
    to: snapshot.commit,
    async reached() {
      await expect.poll(() => readFile(began, 'utf8').catch(() => ''), SLOW).not.toBe('');
      expect(await statusOf(lab)).toMatch(/^ D a\.txt\n M early\.txt\n D src\/b\.txt\n\?\? early-new\n\?\? link$/u);
      const group = Number(await readFile(began, 'utf8'));
      await rm(began);
      return group;
    },
    release: () => put(away, 'gate', ''),
  };
}

/** Begins a move in a process, and kills that as soon as most files are moved. @returns The process group of git, which goes on. */
async function killedOnTheWay({ lab, reached }: Held): Promise<number> {
  const program = fileURLToPath(new URL('apply.ts', import.meta.url));
  const child = fork(program, [lab.user, lab.root], { execArgv: ['--import', 'jiti/register'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const group = await reached();
  child.kill('SIGKILL');
  await ended;
  return group;
}

/** Ends git, and waits until it has. */
async function endGit(lab: Lab, group: number): Promise<void> {
  process.kill(-group, 'SIGTERM');
  const lock = join(lab.user, '.git', 'index.lock');
  await expect
    .poll(
      () =>
        stat(lock).then(
          () => 'locked',
          () => 'free',
        ),
      SLOW,
    )
    .toBe('free');
}

const headOf = (lab: Lab) => lab.git('rev-parse', 'HEAD');
const statusOf = (lab: Lab) => lab.git('status', '--porcelain');
const notesOf = (lab: Lab) => lab.git('for-each-ref', '--format=%(refname)', 'refs/phasegate/run/applying');

describe('a move of the user’s files', () => {
  it('goes on to its end after an abort', async () => {
    const { lab, to, reached, release } = await held();
    const control = new AbortController();
    const moving = apply(lab, control.signal);
    await reached();
    control.abort();
    await release();
    expect(await moving).toMatchObject({ applied: true, to });
    expect([await headOf(lab), await statusOf(lab), await notesOf(lab)]).toEqual([to, '', '']);
  });

  it('goes on to its end if its process is killed', async () => {
    const move = await held();
    const { lab, to, release } = move;
    await killedOnTheWay(move);
    expect(await apply(lab)).toMatchObject({
      applied: false,
      reason: expect.stringContaining('Another git') as string,
    });
    await release();
    await expect.poll(() => headOf(lab), SLOW).toBe(to);
    expect(await statusOf(lab)).toBe('');
    expect(await apply(lab)).toMatchObject({ applied: true, from: to, to });
    expect(await notesOf(lab)).toBe('');
  });

  it('is undone if git is ended, and says so', async () => {
    const { lab, reached } = await held();
    const before = await pictureOf(lab.user);
    const moving = apply(lab);
    await endGit(lab, await reached());
    expect(await moving).toMatchObject({ applied: false, reason: expect.stringContaining('Git refuses') as string });
    expect(await statusOf(lab)).toBe('');
    const after = await pictureOf(lab.user);
    for (const name of ['a.txt', 'early.txt', 'early-new', 'src/b.txt', 'z.txt', 'new/1', 'link'])
      expect(after[name], name).toBe(before[name]);
    expect(await notesOf(lab)).toBe('');
  });

  it('is finished by the next one if both have ended, and leaves other changes of the user alone', async () => {
    const move = await held();
    const { lab, to, release } = move;
    await endGit(lab, await killedOnTheWay(move));
    expect(await statusOf(lab)).toContain('D src/b.txt');
    await lab.put('other.txt', 'mine\n');
    // A link in the place of a folder, which leads away from the repository.
    await shell(lab.user, 'rm -rf src; ln -s /etc src');
    await release();
    expect(await apply(lab)).toMatchObject({ applied: true, to });
    expect([await headOf(lab), await statusOf(lab), await notesOf(lab)]).toEqual([to, ' M other.txt\n?? src', '']);
    expect(await readFile(join(lab.user, 'other.txt'), 'utf8')).toBe('mine\n');
    expect(await readlink(join(lab.user, 'src'))).toBe('/etc');
  });

  it.each([
    ['changed', 'echo mine > early.txt', 'early.txt'],
    ['changed in its mode', 'chmod +x early.txt', 'early.txt'],
    ['made again', 'echo mine > a.txt', 'a.txt'],
    ['staged and then changed back', 'echo mine > early.txt; git add early.txt; echo moved > early.txt', 'early.txt'],
    ['put in the place of a new one', 'echo mine > early-new', 'early-new'],
    ['put in the place of a link', 'rm link; ln -s b.txt link', 'link'],
  ])('keeps a file that the user has %s since', async (_, line, path) => {
    const move = await held();
    const { lab, release } = move;
    await endGit(lab, await killedOnTheWay(move));
    await shell(lab.user, line);
    const picture = await pictureOf(lab.user);
    await release();
    const before = await headOf(lab);
    const result = await apply(lab);
    expect(result).toMatchObject({ applied: false });
    expect('paths' in result && result.paths).toContain(path);
    expect(await headOf(lab)).toBe(before);
    expect((await pictureOf(lab.user))[path]).toBe(picture[path]);
    expect(picture[path]).toBeDefined();
  });
});
