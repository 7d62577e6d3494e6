/**
 * The package as npm packs it, and projects that install it.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('..', import.meta.url));

/** The packed package. */
export interface Packed {
  /** The size of the tarball, in bytes. */
  readonly size: number;
  /** Every file of it. */
  readonly paths: readonly string[];
  /** The folder with the unpacked files. */
  readonly folder: string;
}

/** Packs the build, and unpacks it into a folder. */
export async function pack(to: string): Promise<Packed> {
  await mkdir(to, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], {
    cwd: repository,
    shell: process.platform === 'win32',
    maxBuffer: 10_000_000,
  });
  const [packed] = JSON.parse(stdout) as readonly {
    readonly size: number;
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  if (packed === undefined) throw new Error('npm has packed nothing.');
  await run('tar', ['-xzf', packed.filename], { cwd: to });
  return { size: packed.size, paths: packed.files.map(({ path }) => path), folder: join(to, 'package') };
}

/** A project that contains only the packed package and its dependencies. */
export interface Project {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Creates a project as `npm install phasegate` does in an empty folder, without a registry.
 *
 * @param more Names of packages of this repository to install as well.
 */
export async function installPacked(more: readonly string[] = []): Promise<Project> {
  const top = await mkdtemp(join(tmpdir(), 'phasegate-packed-'));
  const folder = join(top, 'project');
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  const packed = await pack(join(top, 'pack'));
  const manifest = JSON.parse(await readFile(join(packed.folder, 'package.json'), 'utf8')) as Manifest;
  // A linked package finds its own dependencies next to its real path.
  for (const name of [...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }), ...more]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(repository, 'node_modules', name), join(modules, name), 'junction');
  }
  await rename(packed.folder, join(modules, 'phasegate'));
  await chmod(join(modules, 'phasegate', manifest.bin.phasegate), 0o755);
  await symlink(join('..', 'phasegate', manifest.bin.phasegate), join(modules, '.bin', 'phasegate'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  return { folder, remove: () => rm(top, { recursive: true, force: true }) };
}

/** Returns the pages of a package in Markdown and plain text. */
export async function pagesOf(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => /\.(?:md|txt)$/u.test(file)).map((file) => file.replaceAll('\\', '/'));
}

// --- internal ---

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly bin: { readonly phasegate: string };
}
