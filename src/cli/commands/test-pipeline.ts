/**
 * `phasegate test`.
 *
 * @module
 */
import { basename, extname } from 'node:path';
import { codeOf, errorInfo, PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';
import { cutList } from '../../model/values/counts.ts';
import { coverageLines } from '../../projections/coverage/coverage-lines.ts';
import { isProblem, type RehearsalFinding } from '../../testing/cover/rehearsal-findings.ts';
import { rehearseAll, type RehearsedPipeline } from '../../testing/cover/rehearse-all.ts';
import { loadPipeline } from '../load/load.ts';
import { readInput, type InputFlags } from '../options/read-input.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { writeNew } from '../process/write-out.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { createPainter, span, type Line } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate test`. */
export interface TestFlags extends InputFlags {
  readonly json?: boolean | undefined;
  /** True to write a test file next to the pipeline. */
  readonly write?: boolean | undefined;
}

/** Rehearses the pipeline of a file with sample data, and prints findings, its bounds, and the coverage. */
export async function testFile(file: string, flags: TestFlags, io: ProgramIo): Promise<ExitCode> {
  if (flags.write) refuseYaml(file);
  const pipeline = await loadPipeline(file, io);
  const input = await readInput(flags, io);
  const tested = await rehearseAll(pipeline, { input });
  const paint = createPainter(seesColours(io.stdout, io));
  const text = flags.json ? `${JSON.stringify(tested)}\n` : asText(linesOf(tested).map(paint));
  if (!(await print(text, io))) return exitCode.brokenPipe;
  if (flags.write) await writeTest(file, testOf(basename(file), input, tested), io);
  return tested.findings.some(isProblem) ? exitCode.unsuccessful : exitCode.completed;
}

// --- internal ---

function linesOf({ rehearsals, findings, waits, bounds, coverage }: RehearsedPipeline): readonly Line[] {
  const [summary = '', ...rest] = coverageLines(coverage).map(stripControls);
  const plain = (lines: readonly string[]): readonly Line[] => lines.map((line) => [span(stripControls(line))]);
  return [
    [span(`${rehearsals} rehearsals with sample data; no work of the pipeline was called`, 'strong')],
    [],
    ...(findings.length > 0 ? findings.map(findingLine) : [FINE]),
    ...(waits.length > 0 ? [[span(`  No question expires of: ${listed(waits)}. Such a run waits for a person.`)]] : []),
    [],
    ...plain(String(bounds).split('\n')),
    [],
    [span(summary, coverage.missing.length === 0 ? 'good' : 'strong')],
    ...plain(rest),
  ];
}

const FINE: Line = [
  span('✓ ', 'good'),
  span('every run ends, every phase is approved, and every gate can demand changes'),
];

function findingLine(finding: RehearsalFinding): Line {
  const isBad = isProblem(finding);
  return [
    span(isBad ? '✗ ' : '! ', isBad ? 'bad' : 'warn'),
    span(oneLine(finding.message)),
    span(`  ${finding.code}`, 'dim'),
  ];
}

/** Most phases in one line. */
const MOST_NAMES = 8;

function listed(names: readonly string[]): string {
  return cutList(names, MOST_NAMES, oneLine).join(', ');
}

function refuseYaml(file: string): void {
  if (!['.yaml', '.yml', '.json'].includes(extname(file).toLowerCase())) return;
  throw new PhasegateError('FILE_UNREADABLE', `Cannot write a test of "${file}" as a test file cannot import it`, {
    hint: 'Leave out --write: `phasegate test` itself fails if there is a problem, or a bound is exceeded.',
  });
}

/** Writes a test file next to the pipeline. Never overwrites a file. */
async function writeTest(file: string, text: string, io: ProgramIo): Promise<void> {
  const ending = extname(file);
  const test = `${file.slice(0, -ending.length)}.test${ending}`;
  try {
    await writeNew(placeOf(test, io), text);
  } catch (cause) {
    const [code, hint]: [ErrorCode, string] =
      codeOf(cause) === 'EEXIST'
        ? ['FILE_EXISTS', 'Rename or remove that file, and try again.']
        : ['FILE_UNREADABLE', 'Copy the pipeline into a folder that you may write to, or free some space.'];
    throw new PhasegateError(code, `Cannot write "${test}": ${errorInfo(cause).message}`, { hint, cause });
  }
  io.stderr.write(`phasegate: wrote ${oneLine(test)}; run it with vitest\n`);
}

/** The text of a test. It expects the notices that there are, and no problem. */
function testOf(module: string, input: unknown, { findings, coverage }: RehearsedPipeline): string {
  const notices = findings.flatMap((one) => (isProblem(one) ? [] : one.message));
  const given = input === undefined ? '' : `, { input: ${JSON.stringify(input)} }`;
  return `import { rehearseAll } from 'phasegate/testing';
import { expect, it } from 'vitest';
import pipeline from ${literal(`./${module}`)};

it('ends, opens every gate, keeps its bounds, and shows every decision', async () => {
  const { findings, coverage } = await rehearseAll(pipeline${given});
  expect(findings.map(({ message }) => message)).toEqual([${listOf(notices)}]);
  // Rehearsals with sample data do not show these.
  expect(coverage.missing).toEqual([${listOf(coverage.missing)}]);
}, 60_000);
`;
}

function listOf(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `\n${texts.map((text) => `    ${literal(text)},\n`).join('')}  `;
}

function literal(text: string): string {
  const quoted = JSON.stringify(text);
  const isPlain = quoted.slice(1, -1).replaceAll('\\"', '"') === text && !text.includes("'");
  return isPlain ? `'${text}'` : quoted;
}
