/** A process that uses a store: `child.ts <what> <file> <more>`. It prints a line for each step. */
import { writeSync } from 'node:fs';
import { PhasegateError } from '../../src/index.ts';
import { patientStore } from '../../src/runtime/records/patient-store.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import { infoOf, openItem, recordOf } from '../../src/testing/store/trial.ts';

const [what = '', file = '', name = '', count = '0'] = process.argv.slice(2);

switch (what) {
  case 'hold':
    hold();
    break;
  case 'alone':
    alone();
    break;
  case 'race':
    await race();
    break;
  case 'write':
    await write();
    break;
  default:
    throw new Error(`No such work: ${what}`);
}

/** Blocks writers until it is killed. */
function hold(): void {
  const db = connect(file, { readOnly: false });
  db.exec('BEGIN IMMEDIATE');
  say('held');
  // The timer keeps the database reachable. Node closes an unreachable one.
  setInterval(() => db.isTransaction, 1000);
}

/** Takes exclusive access, which SQLite grants only to the sole connection. */
function alone(): void {
  const db = connect(file, { readOnly: false });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM records; BEGIN IMMEDIATE; COMMIT');
    say('alone');
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** Appends records to run `r` one by one, in competition with other processes. Prints those that were accepted. */
async function race(): Promise<void> {
  const store = patientStore(sqliteStore(file));
  let taken = 0;
  while (taken < Number(count)) {
    const seq = ((await store.run('r'))?.seq ?? 0) + 1;
    try {
      await store.append({
        runId: 'r',
        records: [recordOf('r', seq, name)],
        info: infoOf('r', seq),
        items: [],
        artifacts: [],
      });
      taken += 1;
      say(String(seq));
    } catch (error) {
      if (!PhasegateError.is(error) || error.code !== 'SEQ_CONFLICT') throw error;
    }
  }
  await store.close();
}

/** Appends batches of several rows to run `r` until it is killed. Prints the last number after each. */
async function write(): Promise<void> {
  const store = patientStore(sqliteStore(file));
  for (;;) {
    const first = ((await store.run('r'))?.seq ?? 0) + 1;
    const last = first + 2;
    const records = [first, first + 1, last].map((seq) => recordOf('r', seq, 'x'.repeat(500 * (seq % 7))));
    const artifacts = [{ hash: `hash ${last}`, content: JSON.stringify('y'.repeat(3000)) }];
    await store.append({ runId: 'r', records, info: infoOf('r', last), items: [openItem('r', last)], artifacts });
    say(String(last));
  }
}

/** Prints synchronously, so that the killing process knows all finished steps. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}
