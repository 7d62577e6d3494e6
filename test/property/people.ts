/**
 * The people of a scenario: each answers after a delay, makes a mistake first, and answers twice.
 *
 * @module
 */
import { PhasegateError, reject, retry } from '../../src/index.ts';
import { itemDetail, reclassify } from '../../src/inbox.ts';
import type { Run } from '../../src/index.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';
import type { RunRecord } from '../../src/records.ts';
import { aboutOf, named } from './account.ts';
import { PERSON } from '../reference/inbox.ts';
import { callOf, delayOf, type Call, type PersonAct, type ReviewAct, type Scenario } from '../reference/scenario.ts';
import { asAllowed } from '../reference/targets.ts';
import { createWorld } from '../reference/world.ts';
import { answer, decisionOf } from './acts.ts';
import { mistakesAbout } from './mistakes.ts';
import type { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';

/** The memory of people, which outlives processes. */
export interface PeopleMemory {
  readonly records: RunRecord[];
  /** The number of questions, by person. */
  readonly asked: Map<string, number>;
  /** Answers to come, by item. */
  readonly due: Map<string, Due>;
  /** Answers with an unexpected outcome. */
  readonly refused: string[];
}

interface Due {
  readonly at: number;
  readonly nth: number;
  readonly nonce: string | undefined;
}

/** The people of one process. */
export interface People {
  /** Reads a record, and asks the person that it concerns. */
  hear(record: RunRecord): void;
  /** Stops all answers. */
  leave(): void;
}

/** Returns an empty memory. */
export function noMemory(): PeopleMemory {
  return { records: [], asked: new Map(), due: new Map(), refused: [] };
}

/** Lets the people of a scenario answer a run. */
export function peopleOf(
  scenario: Scenario,
  run: Pick<Run, 'decide' | 'answer' | 'inbox'>,
  clock: VirtualClock,
  memory: PeopleMemory,
): People {
  const { records, asked, due, refused } = memory;
  let hasLeft = false;
  for (const id of due.keys()) setOut(id);

  function setOut(id: string): void {
    const one = due.get(id);
    if (!one) return;
    clock.setTimeout(
      () => {
        give(id, one).then(
          () => due.delete(id),
          (error: unknown) => hasLeft || refused.push(`${id}: ${String(error)}`),
        );
      },
      Math.max(0, one.at - clock.now()),
    );
  }

  async function give(id: string, { nth, nonce }: Due): Promise<void> {
    const item = run.inbox().find((one) => one.id === id);
    if (!item) return late(id);
    if (item.nonce !== nonce) refused.push(`${id} has another nonce than it had`);
    for (const { reply, code, nonce: wrong } of mistakesAbout(item, scenario.seed + nth))
      await refusedWith(code, id, () => run.answer(id, reply, { nonce: wrong, by: 'nobody' }));
    const [wanted, otherwise] = repliesTo(item, nth);
    if (otherwise) await refusedWith(wanted.code, id, () => run.answer(id, wanted.reply, { by: PERSON }));
    const { reply } = otherwise ?? wanted;
    const isNamed = (item.kind === 'escalation' || item.kind === 'limit') && (scenario.seed + nth) % 2 === 0;
    if (isNamed && reply.type === 'decide' && !reply.outputs)
      await run.decide(item.about, reply.decision, { by: PERSON, nonce });
    else await run.answer(id, reply, { by: PERSON, nonce });
    if (run.inbox().some((one) => one.id === id)) refused.push(`${id} is open after it was answered`);
    await late(id);
  }

  /** Gives an answer that is too late, and expects its refusal. */
  function late(id: string): Promise<void> {
    return refusedWith('ANSWERED', id, () => run.answer(id, { type: 'abort' }));
  }

  async function refusedWith(code: string, id: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (PhasegateError.is(error) && error.code === code) return;
      throw error;
    }
    refused.push(`${id}: what had to be refused with ${code} was taken`);
  }

  /**
   * Returns the replies of a person. If the first one must be refused, it comes with the error code, and the second
   * one follows.
   */
  function repliesTo(item: InboxItem, nth: number): readonly [Saying, Saying?] {
    const spec = scenario.phases.find(({ name }) => name === item.about);
    if (item.kind === 'limit') return [decide(scenario.lifts ? 'APPROVE' : 'REJECT: a person says no')];
    if (item.kind === 'task') {
      const act = callOf(spec?.tasks.find(({ name }) => name === item.task)?.calls ?? [], nth, { do: 'put', value: 0 });
      return [{ code: '', reply: { type: 'value', value: act.do === 'put' ? act.value : 0 } }];
    }
    if (item.kind === 'review') {
      const calls = spec?.gate?.reviewers.find(({ name }) => name === item.task)?.calls ?? [];
      const act = callOf<ReviewAct>(calls, nth, { do: 'approve' });
      const phase = createWorld(scenario).phases.find(({ name }) => name === item.about);
      const allowed = phase?.gate ? asAllowed(phase, phase.gate, act) : act;
      if (allowed !== act) return [{ ...verdict(act), code: 'DECISION_TARGET_INVALID' }, verdict(allowed)];
      return [verdict(act)];
    }
    const act: Call<PersonAct> = spec?.people[nth] ?? { do: 'approve' };
    if (act.do === 'skip' || act.do === 'abort') return [{ code: '', reply: { type: act.do } }];
    if (act.do === 'reclassify') return [decide(reclassified(item, act))];
    const outputs = act.do === 'approve' ? act.outputs : undefined;
    const said: Reply = { type: 'decide', decision: decisionOf(act), ...(outputs && { outputs }) };
    // An interrupted attempt has nothing to approve. After the refusal the person rejects.
    const isWhole = spec?.tasks.every(({ name }) => name in (outputs ?? {})) ?? true;
    if (act.do !== 'approve' || item.empty !== true || isWhole) return [{ code: '', reply: said }];
    const code = outputs ? 'ANSWER_INVALID' : 'DECISION_INVALID';
    return [{ code, reply: said }, decide(reject('there is nothing to approve'))];
  }

  function reclassified(item: InboxItem, { nth, phase }: { readonly nth: number; readonly phase: string }) {
    const detail = itemDetail(records, item);
    const idOf = new Map(detail.findings.map(({ id, issues }) => [named(issues)[0]?.name ?? '', id]));
    const names = [...idOf.keys()].toSorted();
    const id = idOf.get(names[nth % names.length] ?? '');
    return id === undefined ? retry('nothing was found') : reclassify(detail, id, phase);
  }

  return {
    hear(record) {
      if (record.seq <= records.length) return;
      records.push(record);
      const { event, runId, seq } = record;
      const about = askedBy(scenario, event);
      if (about === undefined) return;
      const id = `${runId}:${seq}`;
      const nth = asked.get(about) ?? 0;
      asked.set(about, nth + 1);
      const { nonce } = run.inbox().find((one) => one.id === id) ?? {};
      due.set(id, { at: record.time + delayIn(scenario, event, about, nth), nth, nonce });
      setOut(id);
    },
    leave: () => (hasLeft = true),
  };
}

// --- internal ---

interface Saying {
  readonly reply: Reply;
  readonly code: string;
}

function decide(decision: Extract<Reply, { readonly type: 'decide' }>['decision']): Saying {
  return { code: '', reply: { type: 'decide', decision } };
}

function verdict(act: Call<ReviewAct>): Saying {
  const outputs = act.do === 'approve' ? act.outputs : undefined;
  const decision = answer(act, []) as Extract<Reply, { readonly type: 'decide' }>['decision'];
  return { code: '', reply: { type: 'decide', decision, ...(outputs && { outputs }) } };
}

/** Returns the subject of a question in an event, in the words of the reference; undefined if it has none. */
function askedBy({ onLimit }: Scenario, event: RunRecord['event']): string | undefined {
  if (event.type === 'limit.reached' && (event.holds !== null || onLimit === 'stop')) return undefined;
  const about = aboutOf(event);
  return about === undefined || event.type === 'task.asked' ? about : `person@${about}`;
}

/** Returns the delay of the answer, in virtual milliseconds. */
function delayIn({ seed, phases }: Scenario, event: RunRecord['event'], about: string, nth: number): number {
  const spec = phases.find(({ name }) => 'phase' in event && name === event.phase);
  const workers = [...(spec?.tasks ?? []), ...(spec?.gate?.reviewers ?? [])];
  const calls = event.type === 'task.asked' ? workers.find(({ name }) => name === event.task)?.calls : spec?.people;
  return calls?.[nth]?.delay ?? delayOf(seed, about, nth);
}
