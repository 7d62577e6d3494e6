/**
 * `phasegate check`.
 *
 * @module
 */
import { analyze } from '../../model/analysis/analyze.ts';
import { loadPipeline } from '../load/load.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { analysisLines } from '../show/analysis-lines.ts';
import { createPainter } from '../terminal/line.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Checks the pipeline of a file and prints the most that a run can take. Loading refuses an invalid pipeline. */
export async function checkFile(file: string, io: ProgramIo): Promise<ExitCode> {
  const pipeline = await loadPipeline(file, io);
  const paint = createPainter(seesColours(io.stdout, io));
  io.stdout.write(asText(analysisLines(pipeline.plan, analyze(pipeline)).map(paint)));
  return exitCode.completed;
}
