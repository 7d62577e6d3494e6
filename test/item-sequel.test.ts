import { describe, expect, it, onTestFinished } from 'vitest';
import { definePipeline, human, memoryStore, phase, startRun, task, type Limits, type Policy } from '../src/index.ts';
import type { Reply } from '../src/inbox.ts';
import { sequelWords } from '../src/projections/wording/sequel-words.ts';
import { detailOf } from '../src/store/pending-answers.ts';
import { fake, untilAborted, type Fake } from './rig.ts';

describe('the sequel of an answer', () => {
  it.each<[name: string, reply: Reply, sentence: string]>([
    ['approve', decide('APPROVE'), 'Approved; print is running now'],
    ['retry', decide('RETRY: Shorter.'), 'Sent back to draft; it is running now'],
    ['rewind', decide('RETRY_PREDECESSOR plan: More.'), 'Sent back to plan; it is running now'],
    ['reject', decide('REJECT: No.'), 'Rejected; the run has ended as rejected'],
    ['skip', { type: 'skip', reason: 'no need' }, 'Skipped; the run is completed'],
    ['abort', { type: 'abort', reason: 'enough' }, 'The run was cancelled'],
    [
      'edits',
      { type: 'decide', decision: 'APPROVE', outputs: { work: 'mine' } },
      'Approved with edits; print is running now',
    ],
  ])('of an escalation: %s', async (_, reply, sentence) => {
    const asked = await askedBy([
      fake('plan', { outputs: ['a', untilAborted] }),
      fake('draft', { after: ['plan'], outputs: ['b', untilAborted], verdicts: ['ESCALATE: Well?'] }),
      fake('print', { after: ['draft'], outputs: [untilAborted] }),
    ]);
    await asked.becomes(reply, sentence);
  });

  it('is absent while the item is open', async () => {
    const { store, item } = await askedBy([fake('draft', { verdicts: ['ESCALATE: Well?'] })]);
    expect((await detailOf(store, item)).sequel).toBeUndefined();
  });

  it('follows the run: the same answer is told anew as it goes on', async () => {
    const asked = await askedBy([
      fake('draft', { outputs: ['a', 'b'], verdicts: ['ESCALATE: Well?', 'ESCALATE: And now?'] }),
    ]);
    await asked.becomes(decide('RETRY: Shorter.'), 'Sent back to draft; it waits for a person');
  });

  it.each<[reply: Reply, sentence: string]>([
    [decide('APPROVE'), 'Approved; the run is completed'],
    [decide('RETRY: Shorter.'), 'Sent back to draft; it is in review now'],
    [decide('REJECT: No.'), 'Rejected; the run has ended as rejected'],
    [decide('ESCALATE: Ask the boss.'), 'Passed on to somebody else'],
  ])('of the only reviewer, a person: %j', async (reply, sentence) => {
    const asked = await askedBy([reviewed(['ada'])]);
    await asked.becomes(reply, sentence);
    expect((await asked.store.item(asked.item.id))?.outcome).not.toContain('{');
  });

  it('of one of several reviewers tells that the gate has not decided, and then that it has decided otherwise', async () => {
    const both = reviewed(['ada', 'bob']);
    const asked = await askedBy([both]);
    await asked.becomes(decide('APPROVE'), 'Voted to approve; the gate has not decided yet');
    const other = asked.run.inbox()[0];
    await asked.run.answer(other?.id ?? '', decide('REJECT: No.'));
    await expect.poll(asked.told).toBe('Voted to approve, and it is rejected; the run has ended as rejected');
  });

  it('of a task tells the value, and what its phase does', async () => {
    const pick = fake('pick', { tasks: [task('person', { run: human({ question: 'Which?' }) })] });
    await (await askedBy([pick])).becomes({ type: 'value', value: 'blue' }, 'Answered “blue”; the run is completed');
    await (
      await askedBy([pick])
    ).becomes({ type: 'value', value: { colour: 'blue' } }, 'Answered; the run is completed');
  });

  it('of a limit', async () => {
    const spend = ({ report }: { report: (usage: object) => void }) => report({ costUsd: 2 });
    const held = (outputs: Fake) =>
      askedBy([fake('draft', { outputs: [spend] }), outputs], {
        policy: { onLimit: 'escalate' },
        limits: { costUsd: 1 },
      });
    const print = () => fake('print', { after: ['draft'], outputs: [untilAborted] });
    await (await held(print())).becomes(decide('APPROVE'), 'The limit costUsd was lifted; print is running now');
    await (await held(print())).becomes(decide('REJECT: No.'), 'The run has ended as exhausted');
  });

  it('of an item that nobody had to answer', async () => {
    const { run, told } = await askedBy([fake('draft', { verdicts: ['ESCALATE: Well?'] })]);
    run.cancel('enough');
    await run.result;
    expect(await told()).toBe('The run was cancelled');
  });
});

// --- internal ---

function decide(decision: string): Reply {
  return { type: 'decide', decision };
}

/** A phase whose gate has people as reviewers. */
function reviewed(names: readonly string[]): Pick<Fake, 'definition'> {
  const by = names.map((name) => task(name, { run: human({ question: `Good, ${name}?` }) }));
  const definition = phase('draft', { tasks: [task('work', { run: () => 'a' })], review: { by: by as never } });
  return { definition };
}

interface Options {
  readonly policy?: Policy;
  readonly limits?: Limits;
}

/** Starts a run that asks a person. `told` reads the sequel of the first item. */
async function askedBy(fakes: readonly Pick<Fake, 'definition'>[], options: Options = {}) {
  const store = memoryStore();
  const phases = fakes.map(({ definition }) => definition);
  const run = startRun(definePipeline({ name: 'story', phases, ...options }), { store, runId: 'r-1' });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  await expect.poll(() => run.inbox().length).toBeGreaterThan(0);
  const [item] = run.inbox();
  if (!item) throw new Error('nobody is asked');
  const told = async () => {
    const { sequel } = await detailOf(store, (await store.item(item.id)) ?? item);
    return (
      sequel &&
      sequelWords(sequel)
        .map(({ text }) => text)
        .join('')
    );
  };
  return {
    store,
    run,
    item,
    told,
    /** Answers the item, and waits until its sequel reads so. */
    async becomes(reply: Reply, sentence: string) {
      await run.answer(item.id, reply, { by: 'ada' });
      await expect.poll(told).toBe(sentence);
    },
  };
}
