/**
 * What users install.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('..', import.meta.url));

describe('the package', () => {
  it('has what is needed, stays small, and takes no pictures along', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: repository,
      shell: process.platform === 'win32',
      maxBuffer: 10_000_000,
    });
    const [packed] = JSON.parse(stdout) as readonly {
      readonly size: number;
      readonly files: readonly { readonly path: string }[];
    }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];
    const top = new Set(
      paths.map((path) =>
        path
          .split('/')
          .slice(0, path.startsWith('dist/') ? 2 : 1)
          .join('/'),
      ),
    );
    expect([...top].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/dashboard',
      'dist/src',
      'dist/visualizations',
      'docs',
      'llms.txt',
      'package.json',
      'schema',
    ]);
    expect(paths).toContain('dist/dashboard/index.html');
    expect(paths.filter((path) => /\.(?:png|jpe?g|gif|webp)$/u.test(path))).toEqual([]);
    // Measured: 1 630 000 bytes, most of it maps to the sources, which have them in full.
    expect(packed?.size).toBeLessThan(1_800_000);
  });
});
