/**
 * Runs without a process of their own: each fact about work is a step, from records that were JSON in between.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import type { Pipeline } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { startInput } from '../../src/runtime/start.ts';
import { runStep, type Step, type StepAct } from '../../src/runtime/steps/run-step.ts';
import type { KeptAnswers } from '../../src/runtime/steps/session-work.ts';
import { dispatchOf, type SentWork } from '../../src/runtime/steps/sent-work.ts';
import type { WorkBatch, WorkSession } from '../../src/runtime/steps/work-batch.ts';
import { beginWork } from '../../src/runtime/steps/work-session.ts';
import type { HeldTry } from '../../src/runtime/steps/held-tries.ts';
import { foldInbox } from '../../src/projections/inbox/inbox-fold.ts';
import type { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';

interface Options {
  readonly runId: string;
  readonly input?: unknown;
  readonly clock: VirtualClock;
  /** True if the worker is lost after that batch, counted over the whole run. @default never */
  readonly isLost?: (batch: number) => boolean;
  /** Answers an open item; `undefined` leaves it open. */
  readonly answer?: (item: InboxItem) => Reply | undefined;
}

type Sent = SentWork & { readonly open: WorkSession; next: number };

/** Runs a pipeline to its end, or until nothing happens any more. */
export async function runBySteps(pipeline: Pipeline, options: Options): Promise<readonly RunRecord[]> {
  const { runId, clock, isLost = () => false, answer = () => undefined } = options;
  let records: readonly RunRecord[] = [];
  let sent: readonly Sent[] = [];
  let tries: readonly HeldTry[] = [];
  let batches = 0;
  let answers = 0;
  let step = await take({
    type: 'begin',
    input: await startInput(pipeline, runId, { input: options.input, kept: true }),
  });
  for (;;) {
    if (step.isOver) return records;
    const heard = await hear();
    if (heard) {
      step = heard;
      continue;
    }
    const inbox = foldInbox();
    for (const record of records) inbox.apply(record);
    const replied = inbox.open().flatMap((item) => {
      const reply = answer(item);
      return reply ? [{ type: 'answer', item: item.id, reply, options: {} } as const] : [];
    });
    const [first] = replied;
    if (first) {
      step = await take(first);
      continue;
    }
    const due = Math.min(step.dueAt ?? Infinity, dispatchOf(sent, step, records, clock.now()).dueAt ?? Infinity);
    if (clock.next <= due && clock.step()) continue;
    if (due === Infinity) return records;
    clock.set(Math.max(due, clock.now()));
    step = await take({ type: 'tick' });
  }

  async function take(act: StepAct): Promise<Step> {
    const made = await runStep({ pipeline, runId, records, now: clock.now(), tries, act: copy(act) });
    tries = copy(made.tries);
    if (made.refusal) throw made.refusal;
    records = copy([...records, ...made.records]);
    const { begin, stop, keep } = dispatchOf(sent, made, records, clock.now());
    for (const { open } of stop) open.stop();
    sent = [...keep, ...(await Promise.all(begin.map((one) => start(one.token, one.session, one.kept))))];
    return made;
  }

  /** Begins the work as a worker does: from what a step at that time says about it. */
  async function start(token: string, session: number, kept: KeptAnswers | undefined) {
    const { work } = await runStep({ pipeline, runId, records, now: clock.now(), tries, act: { type: 'tick' } });
    const piece = work.find((one) => one.token === token);
    if (!piece) throw new Error(`No such work: ${token}`);
    const open = beginWork({ pipeline, work: copy(piece), records, kept: kept && copy(kept), clock });
    return { token, session, open, next: 0 };
  }

  /** Waits a little for the next batch of any session. */
  async function hear(): Promise<Step | undefined> {
    for (const one of sent) {
      if (one.parked) continue;
      const batch = await soon(one.open.batch(one.next));
      if (!batch) continue;
      one.next += 1;
      batches += 1;
      const { facts, end } = copy(batch);
      if (end?.type === 'parked') sent = sent.map((other) => (other === one ? { ...one, parked: end } : other));
      const outcome = end?.type === 'parked' ? undefined : end;
      const made = await take({ type: 'facts', token: one.token, facts, outcome });
      answers += 1;
      for (const other of sent) {
        const granted = tries.filter(({ token, isGranted }) => isGranted && token === other.token);
        other.open.grant(
          answers,
          granted.map(({ task }) => task),
        );
      }
      if (!end && isLost(batches) && sent.includes(one)) {
        one.open.stop();
        const again = await start(one.token, one.session, undefined);
        sent = sent.map((other) => (other === one ? again : other));
      }
      return made;
    }
    return undefined;
  }
}

// --- internal ---

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Resolves with a batch that needs no timer. */
async function soon(batch: Promise<WorkBatch>): Promise<WorkBatch | undefined> {
  return Promise.race([batch, turns(40)]);
}

async function turns(count: number): Promise<undefined> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
  return undefined;
}
