/** A process that watches a store, says so once notifications come, and then has nothing left to do. Its argument is the address. */
import { postgresStore } from '../../src/postgres.ts';

const store = postgresStore({ connectionString: process.argv[2] ?? '', schema: 'exits' });
const watch = store.watch?.(() => undefined);
while (watch?.isLive() !== true) await new Promise((resolve) => setTimeout(resolve, 10));
console.log('live');
