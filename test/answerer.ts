/**
 * Another process that answers an item of a store: `answerer.ts <file> <item> <who>`. It says when it is ready, waits for a
 * line, and says who has answered, or the code of what was refused.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { answerItem, PhasegateError } from '../src/index.ts';
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
