/**
 * `phasegate graph`.
 *
 * @module
 */
import { toDot } from '../../visualizations/dot.ts';
import { toMermaid } from '../../visualizations/mermaid.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { loadPipeline } from './load.ts';

/** The language of a picture. */
export type GraphFormat = 'mermaid' | 'dot';

/** Prints a picture of the pipeline of a file. */
export async function graphFile(file: string, format: GraphFormat): Promise<ExitCode> {
  const { plan } = await loadPipeline(file);
  process.stdout.write(format === 'dot' ? toDot(plan) : toMermaid(plan));
  return exitCode.completed;
}
