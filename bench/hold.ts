/**
 * A process that locks a store: `hold.ts write|all <file> <ms>`. `write` keeps writers out, `all` also readers. It prints a line once it has
 * the lock, and ends after that time.
 *
 * @module
 */
import { connect } from '../src/store/sqlite/driver.ts';

const [what, file = '', ms = '0'] = process.argv.slice(2);
const db = connect(file, { readOnly: false });
db.exec(`PRAGMA busy_timeout = 10000; ${what === 'all' ? 'PRAGMA locking_mode = EXCLUSIVE;' : ''} BEGIN IMMEDIATE`);
console.log('held');
setTimeout(() => {
  db.exec('COMMIT');
  db.close();
}, Number(ms));
