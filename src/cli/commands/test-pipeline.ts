/**
 * `phasegate test`.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { coverageLines } from '../../projections/coverage/coverage-lines.ts';
import { rehearseAll, type RehearsedPipeline } from '../../testing/cover/rehearse-all.ts';
import { loadPipeline } from '../load/load.ts';
import { readInput, type InputFlags } from '../options/read-input.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { createPainter, span, type Line } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';

/** Flags of `phasegate test`. */
export interface TestFlags extends InputFlags {
  readonly json?: boolean | undefined;
  /** True to write a test file next to the pipeline. */
  readonly write?: boolean | undefined;
}

/** Rehearses the pipeline of a file with sample data, and prints its bounds, its coverage, and rehearsals that cannot end. */
export async function testFile(file: string, flags: TestFlags, io: ProgramIo): Promise<ExitCode> {
  if (flags.write) refuseYaml(file);
  const pipeline = await loadPipeline(file, io);
  const tested = await rehearseAll(pipeline, { input: await readInput(flags, io) });
  const paint = createPainter(seesColours(io.stdout, io));
  const text = flags.json ? `${JSON.stringify(tested)}\n` : asText(linesOf(tested).map(paint));
  if (!(await print(text, io))) return exitCode.brokenPipe;
  if (flags.write) await writeTest(file, tested, io);
  return tested.stuck.length === 0 ? exitCode.completed : exitCode.unsuccessful;
}

// --- internal ---

function linesOf({ rehearsals, stuck, bounds, coverage }: RehearsedPipeline): readonly Line[] {
  const [summary = '', ...rest] = coverageLines(coverage).map(stripControls);
  const plain = (lines: readonly string[]): readonly Line[] => lines.map((line) => [span(stripControls(line))]);
  return [
    [span(`${rehearsals} rehearsals with sample data; no work of the pipeline was called`, 'strong')],
    [],
    ...stuck.flatMap(({ name, why }): readonly Line[] => [
      [span(`cannot end: ${stripControls(name)}`, 'bad')],
      ...plain(why.split('\n')),
    ]),
    ...plain(String(bounds).split('\n')),
    [],
    [span(summary, coverage.missing.length === 0 ? 'good' : 'strong')],
    ...plain(rest),
  ];
}

function refuseYaml(file: string): void {
  if (!['.yaml', '.yml', '.json'].includes(extname(file).toLowerCase())) return;
  throw new PhasegateError('FILE_UNREADABLE', `Cannot write a test of "${file}" as a test file cannot import it`, {
    hint: 'Leave out --write: `phasegate test` itself fails if a rehearsal cannot end or a bound is exceeded.',
  });
}

/** Writes a test file next to the pipeline. Never overwrites a file. */
async function writeTest(file: string, { coverage }: RehearsedPipeline, io: ProgramIo): Promise<void> {
  const ending = extname(file);
  const test = `${file.slice(0, -ending.length)}.test${ending}`;
  try {
    await writeFile(placeOf(test, io), testOf(basename(file), coverage.missing), { flag: 'wx' });
  } catch (cause) {
    throw new PhasegateError('FILE_EXISTS', `Cannot write "${test}": ${cause instanceof Error ? cause.message : ''}`, {
      hint: 'Rename or remove that file, and try again.',
      cause,
    });
  }
  io.stderr.write(`phasegate: wrote ${test}; run it with vitest\n`);
}

function testOf(module: string, missing: readonly string[]): string {
  const left = missing.map((name) => `    ${JSON.stringify(name)},\n`).join('');
  return `import { rehearseAll } from 'phasegate/testing';
import { expect, it } from 'vitest';
import pipeline from ${JSON.stringify(`./${module}`)};

it('ends, keeps its bounds, and shows every decision of its gates', async () => {
  const { stuck, coverage } = await rehearseAll(pipeline);
  expect(stuck).toEqual([]);
  // Rehearsals with sample data do not show these.
  expect(coverage.missing).toEqual([${left === '' ? '' : `\n${left}  `}]);
}, 60_000);
`;
}
