/**
 * `phasegate check`.
 *
 * @module
 */
import { analyze } from '../model/analyze.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { loadPipeline } from './load.ts';
import type { ProgramIo } from './program-io.ts';
import { asText, seesColours } from './reporter.ts';
import { analysisLines } from './show/analysis-lines.ts';
import { createPainter } from './show/line.ts';

/** Judges the pipeline of a file, and prints what a run of it can take at worst. Loading refuses what is not sound. */
export async function checkFile(file: string, io: ProgramIo): Promise<ExitCode> {
  const { plan } = await loadPipeline(file, io);
  const paint = createPainter(seesColours(io.stdout, io));
  io.stdout.write(asText(analysisLines(plan, analyze(plan)).map(paint)));
  return exitCode.completed;
}
