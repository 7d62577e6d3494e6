/** Types of the README's program in editors and declarations, against the built package. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

const MORE = `
export const pipeline = definePipeline({ name: 'article', phases: [research, writing] });
export const result = await run.result;
export const outputs = result.outputs;
export const allOutputs = result.status === 'completed' ? result.outputs : undefined;
export const phases = result.phases;
export const gate = writing;
`;

/** Returns the types of a program's exports as TypeScript declares them, by name. */
async function declaredBy(program: string): Promise<Readonly<Record<string, string>>> {
  const directory = await mkdtemp(join(tmpdir(), 'phasegate-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, 'node_modules'));
  await symlink(repository, join(directory, 'node_modules', 'phasegate'));
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(directory, 'program.ts'), program);
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    paths: {},
    typeRoots: [join(repository, 'node_modules', '@types')],
    rootDir: '.',
    outDir: 'out',
  };
  const options = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['program.ts'] };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(options));
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', directory]).catch((error: { stdout?: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
  const text = await readFile(join(directory, 'out', 'program.d.ts'), 'utf8');
  const plain = text.replaceAll(/import\("phasegate"\)\.|\s+/gu, (one) => (one.trim() === '' ? ' ' : ''));
  return Object.fromEntries(
    plain
      .split(/export declare const /u)
      .slice(1)
      .map((line) => line.split(': ', 1)[0] ?? '')
      .map((name) => [name, typeOf(name, plain)]),
  );
}

function typeOf(name: string, declarations: string): string {
  const [, rest = ''] = declarations.split(`export declare const ${name}: `);
  return rest.split(/;(?: (?:export|declare) | ?$)/u, 1)[0] ?? '';
}

it('hovers over the pipeline of the README and its outputs are flat and short', async () => {
  const readme = await readFile(join(repository, 'README.md'), 'utf8');
  const [, program = ''] = /```ts\n(.*?)```/su.exec(readme) ?? [];
  const types = await declaredBy(program + MORE);
  expect(types).toMatchInlineSnapshot(`
    {
      "allOutputs": "{ readonly research: { readonly gather: string[]; }; readonly writing: { readonly draft: string; }; } | undefined",
      "gate": "Phase<"writing", { readonly draft: string; }, { readonly research: { readonly gather: string[]; }; }>",
      "outputs": "Partial<{ readonly research: { readonly gather: string[]; }; readonly writing: { readonly draft: string; }; }> | { readonly research: { readonly gather: string[]; }; readonly writing: { readonly draft: string; }; }",
      "phases": "{ readonly research: PhaseResult; readonly writing: PhaseResult; }",
      "pipeline": "Pipeline<{ readonly research: { readonly gather: string[]; }; readonly writing: { readonly draft: string; }; }, unknown>",
      "result": "RunOutcome<{ readonly research: { readonly gather: string[]; }; readonly writing: { readonly draft: string; }; }>",
    }
  `);
  for (const [name, type] of Object.entries(types)) {
    expect(type.length, name).toBeGreaterThan(10);
    expect(type.length, name).toBeLessThan(250);
  }
});
