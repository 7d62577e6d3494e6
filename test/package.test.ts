/**
 * What users install.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenLinks } from './links.ts';
import { installPacked, pack, pagesOf, type Packed, type Project } from './packed.ts';

const run = promisify(execFile);

describe('the package', () => {
  let packed: Packed;
  let top = '';
  beforeAll(async () => {
    top = await mkdtemp(join(tmpdir(), 'phasegate-pack-'));
    packed = await pack(top);
  }, 60_000);
  afterAll(() => rm(top, { recursive: true, force: true }));

  it('has what is needed, stays small, and takes no pictures along', () => {
    const places = packed.paths.map((path) =>
      path
        .split('/')
        .slice(0, path.startsWith('dist/') ? 2 : 1)
        .join('/'),
    );
    expect([...new Set(places)].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'completion',
      'dist/dashboard',
      'dist/src',
      'dist/visualizations',
      'docs',
      'llms.txt',
      'package.json',
      'schema',
    ]);
    expect(packed.paths).toContain('dist/dashboard/index.html');
    expect(packed.paths.filter((path) => /\.(?:png|jpe?g|gif|webp)$/u.test(path))).toEqual([]);
    // Measured: 1 001 000 bytes.
    expect(packed.size).toBeLessThan(1_050_000);
  });

  it('has no source maps, which would lead to sources that are not in it, and names none', async () => {
    expect(packed.paths.filter((path) => path.endsWith('.map'))).toEqual([]);
    const code = packed.paths.filter((path) => /\.(?:js|mjs|css|d\.ts)$/u.test(path));
    const naming = await Promise.all(
      code.map(async (path) =>
        (await readFile(join(packed.folder, path), 'utf8')).includes('sourceMappingURL') ? [path] : [],
      ),
    );
    expect(naming.flat()).toEqual([]);
  });

  it('has no dead links in any of its pages', async () => {
    const pages = await pagesOf(packed.folder);
    expect(pages).toContain('README.md');
    expect(pages).toContain('docs/guide.md');
    expect((await Promise.all(pages.map((page) => brokenLinks(packed.folder, page)))).flat()).toEqual([]);
  });

  it('says where its home is, where its source is, and where to report faults', async () => {
    const manifest: unknown = JSON.parse(await readFile(join(packed.folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      homepage: 'https://github.com/phasegate/phasegate#readme',
      repository: { type: 'git', url: 'git+https://github.com/phasegate/phasegate.git' },
      bugs: 'https://github.com/phasegate/phasegate/issues',
    });
  });
});

describe('an installed package', () => {
  let project: Project;
  beforeAll(async () => {
    project = await installPacked();
  }, 60_000);
  afterAll(() => project.remove());

  it('names files that exist in its stacks', async () => {
    const program = `import { definePipeline } from 'phasegate';
      try { definePipeline({ name: 'p', phases: [] }); } catch (error) { console.log(error.stack); }`;
    await writeFile(join(project.folder, 'fail.mjs'), program);
    const { stdout } = await run(process.execPath, ['--enable-source-maps', 'fail.mjs'], { cwd: project.folder });
    const places = [...stdout.matchAll(/(\/\S*phasegate\/\S*?\.[jt]s):\d+:\d+/gu)].map(([, file = '']) => file);
    expect(places.length).toBeGreaterThan(0);
    await Promise.all(places.map((file) => readFile(file)));
  });
});
