/**
 * Pipelines of which the dashboard starts runs.
 *
 * @module
 */
import type { PipelineToStart } from '../../server/pipelines.ts';
import { loadWithTags } from '../load/load.ts';
import { DEFAULT_SCOPE } from '../options/defaults.ts';
import { storeArgument, type OpenStore } from '../options/store-option.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { argument } from '../terminal/text.ts';

/** A loaded pipeline, which needs the store only for the command that its page shows. */
export type LoadedToStart = (opened: OpenStore) => PipelineToStart;

/** Loads the pipelines of files. @throws PhasegateError that says what is wrong with a file. */
export async function loadToStart(files: readonly string[], io: ProgramIo): Promise<readonly LoadedToStart[]> {
  const loaded: LoadedToStart[] = [];
  for (const file of files) {
    const { pipeline, tags } = await loadWithTags(file, io);
    loaded.push((opened) => ({
      pipeline,
      tags,
      source: placeOf(file, io),
      memory: DEFAULT_SCOPE,
      workCommand: `phasegate work ${argument(file)}${storeArgument(opened)}`,
    }));
  }
  return loaded;
}
