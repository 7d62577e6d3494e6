/**
 * A process that answers an item of a store: `answerer.ts <file> <item> <who>`.
 *
 * It prints `ready`, waits for a line of input, and then prints its name or the code of the error.
 *
 * @module
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { PhasegateError } from '../src/index.ts';
import { answerItem } from '../src/inbox.ts';
import { sqliteStore } from '../src/sqlite.ts';

const [file = '', item = '', who = ''] = process.argv.slice(2);
const store = sqliteStore(file);
writeSync(1, 'ready\n');
await once(process.stdin, 'data');
try {
  await answerItem(store, item, { type: 'decide', decision: 'REJECT: no' }, { by: who });
  writeSync(1, `${who}\n`);
} catch (error) {
  if (!PhasegateError.is(error)) throw error;
  writeSync(1, `${error.code}\n`);
}
await store.close();
