/**
 * The JSON texts of phases of which the fingerprint of a plan is made.
 *
 * @module
 */
import { writeList, writeOnce, writeSimilar, writeText, writeTexts, type Writer } from '../values/similar-text.ts';

/** Makes a writer of the phases of one plan. A gate has 22 options, and most gates of a plan have the same: these are written once. */
export function phaseWriter(): Writer {
  const names = writeOnce(writeTexts);
  const task = writeSimilar(
    new Map([
      ['description', writeText],
      ['name', writeText],
    ]),
  );
  return writeSimilar(
    new Map([
      ['after', names],
      ['gate', writeSimilar(new Map([['targets', names]]))],
      ['name', writeText],
      ['tasks', writeList(task)],
    ]),
  );
}
