/**
 * Instructive scenarios of people: their answers, and the effect of deadlines.
 *
 * Times are virtual milliseconds. The text leaves out starts of tasks and reviews, which are compared all the same.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { about, asks, back, does, gate, put, scenario, yes } from './pinned.ts';
import { story } from './story.ts';

// XState's development build warns once per action of every phase.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

const BEGINS = / (?:task\.started|task\.completed|review\.started) /u;

describe('startRun()', () => {
  //  sum (a person, who is too late once, and then in time) ──▶ spend
  it('asks a person again after an aborted try, and accepts the answer that is in time', async () => {
    const asked = { remindAfterMs: 5, raiseAfterMs: 7, expireAfterMs: 10, onExpiry: 'reject' as const };
    const phases = [does('sum', [], [put(1, 11), put(2, 6)], { asked, tries: 2 }), does('spend', ['sum'], [put(1, 3)])];
    expect(await story(scenario(phases), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started sum g=0 a=0 told=null
      @0 task.asked sum g=0 a=0 task="work" reviewer=false
      @5 item.changed item="sum/work" change="reminded"
      @7 item.changed item="sum/work" change="raised" severity="high"
      @10 item.changed item="sum/work" change="expired"
      @10 task.retrying sum g=0 a=0 task="work" try=1
      @1000013 task.asked sum g=0 a=0 task="work" reviewer=false
      @1000018 item.changed item="sum/work" change="reminded"
      @1000019 task.answered sum g=0 a=0 task="work" reviewer=false who="ada"
      @1000019 phase.approved sum g=0 a=0 because="unreviewed" outputs={"work":2} version=1 read={}
      @1000019 phase.started spend g=0 a=0 told=null
      @1000022 phase.approved spend g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"sum":1}
      @1000022 run.ended status="completed" limit=null
      "
    `);
  });

  //  draft: its reviewer is a person, who does not answer, and then another queue
  it('assigns the item to another queue, and waits for its answer', async () => {
    const asked = { severity: 'high' as const, raiseAfterMs: 3, expireAfterMs: 4, onExpiry: { queue: 'managers' } };
    const edits = { do: 'approve' as const, outputs: { work: 9 }, delay: 50 };
    const phases = [
      does('draft', [], [put(1, 10)], { gate: asks([edits], asked) }),
      does('print', ['draft'], [put(1, 1)]),
    ];
    expect(await story(scenario(phases), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started draft g=0 a=0 told=null
      @10 task.asked draft g=0 a=0 task="judge" reviewer=true
      @13 item.changed item="draft?judge" change="raised" severity="urgent"
      @14 item.changed item="draft?judge" change="expired" queue="managers"
      @60 task.answered draft g=0 a=0 task="judge" reviewer=true who="ada"
      @60 review.decided draft g=0 a=0 verdict="approve" by="gate" edited={"work":9}
      @60 phase.approved draft g=0 a=0 because="approved" outputs={"work":9} version=1 read={}
      @60 phase.started print g=0 a=0 told=null
      @61 phase.approved print g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"draft":1}
      @61 run.ended status="completed" limit=null
      "
    `);
  });

  //  draft ──▶ print    draft waits for a person, who is late by one millisecond
  //  apart              continues
  it('rejects at the deadline, and records so', async () => {
    const inbox = { expireAfterMs: 20, onExpiry: 'reject' as const };
    const phases = [
      does('draft', [], [put(1, 10)], {
        gate: gate([{ do: 'escalate', delay: 1 }], { inbox }),
        people: [{ do: 'approve', delay: 21 }],
      }),
      does('print', ['draft'], [put(1, 1)]),
      does('apart', [], [put(1, 40)]),
    ];
    expect(await story(scenario(phases), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started draft g=0 a=0 told=null
      @0 phase.started apart g=0 a=0 told=null
      @11 review.decided draft g=0 a=0 verdict="escalate" by="gate"
      @11 phase.escalated draft g=0 a=0 because="requested"
      @31 item.changed item="draft" change="expired"
      @31 review.decided draft g=0 a=0 verdict="reject" by="person" who="the clock"
      @31 phase.rejected draft g=0 a=0
      @31 phase.skipped print because="draft"
      @40 phase.approved apart g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @40 run.ended status="rejected" limit=null
      "
    `);
  });

  //  plan ──▶ draft    draft may not send plan back any more: its attempt has put out nothing
  it('accepts outputs of a person for an interrupted attempt, if they are complete', async () => {
    const rework = { do: 'rework' as const, phase: 'plan', feedback: 'deeper', delay: 3 };
    const people = [
      { do: 'retry' as const, feedback: 'by yourself', delay: 10 },
      { do: 'approve' as const, outputs: { work: 7 }, delay: 11 },
    ];
    const phases = [
      does('plan', [], [put(1, 10)]),
      does('draft', ['plan'], [rework, rework], { gate: gate([]), people }),
    ];
    const held = { limits: { perPair: 0 }, onLimit: 'escalate' as const };
    expect(await story(scenario(phases, held), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started draft g=0 a=0 told=null
      @13 task.failed draft g=0 a=0 task="work" try=1
      @13 review.decided draft g=0 a=0 verdict="retryPredecessor" by="worker"
      @13 limit.reached limit="perPair" used=0 max=0 holds="draft"
      @13 phase.escalated draft g=0 a=0 because="limit"
      @23 review.decided draft g=0 a=0 verdict="retry" by="person" who="ada"
      @23 phase.retrying draft g=0 a=0 feedback="by yourself" by="person" spent=0
      @23 phase.started draft g=0 a=1 told="by yourself"
      @26 task.failed draft g=0 a=1 task="work" try=1
      @26 review.decided draft g=0 a=1 verdict="retryPredecessor" by="worker"
      @26 limit.reached limit="perPair" used=0 max=0 holds="draft"
      @26 phase.escalated draft g=0 a=1 because="limit"
      @37 review.decided draft g=0 a=1 verdict="approve" by="person" who="ada" edited={"work":7}
      @37 phase.approved draft g=0 a=1 because="approved" outputs={"work":7} version=1 read={"plan":1}
      @37 run.ended status="completed" limit=null
      "
    `);
  });

  //  plan ─┬─▶ draft ──▶ print    print sends draft back, which waits for a person then: it is skipped
  //        └─▶ apart
  it('fails phases that wait for a phase which a person skips', async () => {
    const phases = [
      does('plan', [], [put(1, 10)]),
      does('draft', ['plan'], [put(1, 5), put(2, 5)], {
        gate: gate([yes(1), { do: 'escalate', delay: 1 }]),
        people: [{ do: 'skip', delay: 9 }],
      }),
      does('apart', ['plan'], [put(1, 30)]),
      does('print', ['draft'], [put(1, 2)], { gate: gate([back('draft', 'shorter', 1)]) }),
    ];
    expect(await story(scenario(phases, { onFailure: 'halt' }), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started draft g=0 a=0 told=null
      @10 phase.started apart g=0 a=0 told=null
      @16 review.decided draft g=0 a=0 verdict="approve" by="gate"
      @16 phase.approved draft g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":1}
      @16 phase.started print g=0 a=0 told=null
      @19 review.decided print g=0 a=0 verdict="retryPredecessor" by="gate"
      @19 phase.rewinding print g=0 a=0 target="draft" feedback="shorter" by="gate" spent=1
      @19 phase.started draft g=1 a=1 told="shorter"
      @25 review.decided draft g=1 a=1 verdict="escalate" by="gate"
      @25 phase.escalated draft g=1 a=1 because="requested"
      @34 phase.skipped draft who="ada"
      @34 phase.failed print g=0 a=0 code="PREDECESSOR_FAILED"
      @34 phase.cancelled apart
      @34 run.ended status="failed" limit=null
      "
    `);
  });

  //  draft ──▶ print    draft is skipped, and had halted the run if it had been rejected
  //  apart
  it('skips the dependents of a skipped phase, and completes', async () => {
    const phases = [
      does('draft', [], [put(1, 5)], {
        gate: gate([{ do: 'escalate', delay: 1 }]),
        people: [{ do: 'skip', delay: 9 }],
      }),
      does('print', ['draft'], [put(1, 2)]),
      does('apart', [], [put(1, 30)]),
    ];
    expect(await story(scenario(phases, { onFailure: 'halt' }), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started draft g=0 a=0 told=null
      @0 phase.started apart g=0 a=0 told=null
      @6 review.decided draft g=0 a=0 verdict="escalate" by="gate"
      @6 phase.escalated draft g=0 a=0 because="requested"
      @15 phase.skipped draft who="ada"
      @15 phase.skipped print because="draft"
      @30 phase.approved apart g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @30 run.ended status="completed" limit=null
      "
    `);
  });

  //  plan ──▶ data ──▶ draft    a person lays what was found in draft at the door of plan
  it('sends back the phase to which a person assigns an issue, with the feedback of the reviewer', async () => {
    const found = { do: 'retry' as const, feedback: 'no sources', issues: [about('draft')], delay: 1 };
    const phases = [
      does('plan', [], [put(1, 10), put(2, 10)]),
      does('data', ['plan'], [put(1, 5), put(2, 5)]),
      does('draft', ['data'], [put(1, 3), put(2, 3)], {
        gate: gate([found, yes(1)], { maxRetries: 0, onExhausted: 'escalate' }),
        people: [{ do: 'reclassify', nth: 0, phase: 'plan', delay: 7 }],
      }),
    ];
    expect(await story(scenario(phases), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started data g=0 a=0 told=null
      @15 phase.approved data g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"plan":1}
      @15 phase.started draft g=0 a=0 told=null
      @19 review.decided draft g=0 a=0 verdict="retry" by="gate"
      @19 phase.escalated draft g=0 a=0 because="exhausted"
      @26 review.decided draft g=0 a=0 verdict="retryPredecessor" by="person" who="ada"
      @26 phase.rewinding draft g=0 a=0 target="plan" feedback="no sources\\n\\n- [low] idraft is wrong." issues=["idraft"] by="person" spent=0
      @26 phase.invalidated data g=1 because="plan"
      @26 phase.started plan g=1 a=1 told="no sources\\n\\n- [low] idraft is wrong." issues=["idraft"]
      @36 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @36 phase.started data g=1 a=0 told=null
      @41 phase.approved data g=1 a=0 because="unreviewed" outputs={"work":2} version=2 read={"plan":2}
      @41 phase.started draft g=0 a=0 told=null
      @45 review.decided draft g=0 a=0 verdict="approve" by="gate"
      @45 phase.approved draft g=0 a=0 because="approved" outputs={"work":2} version=1 read={"data":2}
      @45 run.ended status="completed" limit=null
      "
    `);
  });

  //  ask                  waits for a person, and works again while draft is answered
  //  plan ─┬─▶ draft      waits for a person while plan runs again
  //        └─▶ print      sends plan back, and waits for its place longer than draft
  it('starts phases that have waited longer before one that a person sends back', async () => {
    const again = (delay: number) => ({
      gate: gate([{ do: 'escalate', delay: 1 }, yes(1)]),
      people: [{ do: 'retry' as const, feedback: 'again', delay }],
    });
    const phases = [
      does('ask', [], [put(1, 5), put(2, 10)], again(30)),
      does('plan', [], [put(1, 10), put(2, 20)]),
      does('draft', ['plan'], [put(1, 3), put(2, 3)], again(30)),
      does('print', ['plan'], [put(1, 4), put(2, 4)], { gate: gate([back('plan', 'deeper', 1), yes(1)]) }),
    ];
    expect(await story(scenario(phases, { concurrency: 1 }), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started ask g=0 a=0 told=null
      @6 review.decided ask g=0 a=0 verdict="escalate" by="gate"
      @6 phase.escalated ask g=0 a=0 because="requested"
      @6 phase.started plan g=0 a=0 told=null
      @16 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @16 phase.started draft g=0 a=0 told=null
      @20 review.decided draft g=0 a=0 verdict="escalate" by="gate"
      @20 phase.escalated draft g=0 a=0 because="requested"
      @20 phase.started print g=0 a=0 told=null
      @25 review.decided print g=0 a=0 verdict="retryPredecessor" by="gate"
      @25 phase.rewinding print g=0 a=0 target="plan" feedback="deeper" by="gate" spent=1
      @25 phase.started plan g=1 a=1 told="deeper"
      @36 review.decided ask g=0 a=0 verdict="retry" by="person" who="ada"
      @36 phase.retrying ask g=0 a=0 feedback="again" by="person" spent=0
      @45 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @45 phase.started ask g=0 a=1 told="again"
      @50 review.decided draft g=0 a=0 verdict="retry" by="person" who="ada"
      @50 phase.retrying draft g=0 a=0 feedback="again" by="person" spent=0
      @56 review.decided ask g=0 a=1 verdict="approve" by="gate"
      @56 phase.approved ask g=0 a=1 because="approved" outputs={"work":2} version=1 read={}
      @56 phase.started print g=0 a=0 told=null
      @61 review.decided print g=0 a=0 verdict="approve" by="gate"
      @61 phase.approved print g=0 a=0 because="approved" outputs={"work":2} version=1 read={"plan":2}
      @61 phase.started draft g=0 a=1 told="again"
      @65 review.decided draft g=0 a=1 verdict="approve" by="gate"
      @65 phase.approved draft g=0 a=1 because="approved" outputs={"work":2} version=1 read={"plan":1}
      @65 phase.stale draft because="plan"
      @65 run.ended status="completed" limit=null
      "
    `);
  });

  //  first ──▶ second    a limit holds the run: nobody lifts it
  it('ends a run whose limit nobody lifts in time', async () => {
    const phases = [does('first', [], [{ ...put(1, 10), tokens: 9 }]), does('second', ['first'], [put(1, 1)])];
    const inbox = { remindAfterMs: 5, expireAfterMs: 30, onExpiry: 'reject' as const };
    const held = { limits: { tokens: 5 }, onLimit: 'escalate' as const, inbox };
    expect(await story(scenario(phases, held), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started first g=0 a=0 told=null
      @10 task.reported first g=0 a=0 task="work" reviewer=false tokens=9
      @10 limit.reached limit="tokens" used=9 max=5 holds=null
      @10 phase.approved first g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @15 item.changed item="tokens" change="reminded"
      @40 item.changed item="tokens" change="expired"
      @40 phase.skipped second
      @40 run.ended status="exhausted" limit="tokens"
      "
    `);
  });
});
