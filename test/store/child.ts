/** A process that uses a store: `child.ts <what> <file> <more>`. It prints a line for each step. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { definePipeline, phase, PhasegateError, startRun, task } from '../../src/index.ts';
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
  case 'close':
    close();
    break;
  case 'race':
    await race();
    break;
  case 'look':
    look();
    break;
  case 'steps':
    await steps();
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

/** Keeps out readers and writers until its input ends. It has to be the only process that has the file open. */
function close(): void {
  const db = connect(file, { readOnly: false });
  db.exec('PRAGMA busy_timeout = 60000; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE');
  say('closed');
  process.stdin.on('end', () => db.close()).resume();
}

/** Reads one state of the store until its input ends. */
function look(): void {
  const db = connect(file, { readOnly: true });
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM runs').get();
  say('looks');
  process.stdin.on('end', () => db.exec('COMMIT')).resume();
}

/** Works on run `r` until its input ends: one attempt for each line. */
async function steps(): Promise<void> {
  const store = sqliteStore(file);
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  let isOver = false;
  let works = 0;
  const work = async () => {
    const { done } = await lines.next();
    isOver = done === true;
    works += 1;
    return `${works} ${'x'.repeat(20_000)}`;
  };
  const pipeline = definePipeline({
    name: 'steps',
    phases: [
      phase('a', {
        tasks: [task('t', { run: work })],
        // The feedback is another one each time, as the run would end at a loop.
        review: { maxRetries: 'unlimited', by: () => (isOver ? 'APPROVE' : `RETRY: Again, after ${works}.`) },
      }),
    ],
  });
  const run = startRun(pipeline, { store, runId: 'r' });
  for await (const { event } of run) if (event.type === 'task.started') break;
  say('runs');
  await run.result;
  await store.close();
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
