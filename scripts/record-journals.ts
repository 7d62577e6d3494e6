/**
 * Records journals that later versions must replay: `node --import jiti/register scripts/record-journals.ts <version> [name…]`.
 *
 * Writes them to `test/fixtures/journals/<version>/`, one record a line. Never overwrites an existing journal.
 *
 * @module
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { play } from '../test/journals/play.ts';
import { recordings } from '../test/journals/recordings.ts';

const [version = '', ...names] = process.argv.slice(2);
if (!/^\d+\.\d+$/u.test(version))
  throw new Error('Name the version, such as 0.1, and then the recordings, if not all.');
// Stacks would contain paths of this machine.
Error.stackTraceLimit = 0;
// XState's development build warns once per action of every phase.
console.warn = () => undefined;
const folder = new URL(`../test/fixtures/journals/${version}/`, import.meta.url);
mkdirSync(folder, { recursive: true });
for (const name of names.length > 0 ? names : recordings.keys()) {
  const recording = recordings.get(name);
  if (!recording) throw new Error(`There is no recording "${name}".`);
  const file = new URL(`${name}.jsonl`, folder);
  if (existsSync(file)) {
    console.log(`${name}: it is there, and stays as it is`);
    continue;
  }
  const records = await play(recording);
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''), { flag: 'wx' });
  console.log(`${name}: ${records.length} records`);
}
