/**
 * The JSON texts of a plan of which its fingerprint is made.
 *
 * @module
 */
import { sortedText } from '../values/content-hash.ts';
import { writeList, writeOnce, writePlain, writeSimilar } from '../values/similar-text.ts';
import type { Plan } from './plan.ts';

/**
 * Returns the JSON of a plan without its phases, then that of each phase, all with sorted keys.
 *
 * A gate has 22 options, and most gates of a plan have the same. So what phases share is written once.
 */
export function* planTexts({ phases, ...rest }: Plan): Iterable<string> {
  yield sortedText(rest);
  const names = writeOnce(writePlain);
  const task = writeSimilar(
    new Map([
      ['description', writePlain],
      ['name', writePlain],
    ]),
  );
  const phase = writeSimilar(
    new Map([
      ['after', names],
      ['gate', writeSimilar(new Map([['targets', names]]))],
      ['name', writePlain],
      ['tasks', writeList(task)],
    ]),
  );
  for (const one of phases) yield phase(one) ?? sortedText(one);
}
