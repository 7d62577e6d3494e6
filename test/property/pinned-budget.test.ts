/**
 * Instructive scenarios of estimates: the order in which waiting tries are checked after another try has ended.
 *
 * Times are virtual milliseconds. The text leaves out starts of tasks and reviews, which are compared all the same.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { asks, back, does, gate, put, scenario, yes } from './pinned.ts';
import { story } from './story.ts';

// XState's development build warns once per action of every phase.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

const BEGINS = / (?:task\.started|task\.completed|review\.started) /u;

describe('startRun()', () => {
  //  plan ─┬─▶ draft    its task waits for what the reviewer of data may use
  //        └─▶ print    waits for the place of data
  //  data
  it('checks a waiting try before it starts a phase in the slot of the try that has ended', async () => {
    const reviewers = [{ name: 'judge', estimate: 10, calls: [yes(30)] }];
    const phases = [
      does('plan', [], [put(1, 20)]),
      does('data', [], [put(1, 10)], { gate: gate([], { reviewers }) }),
      does('draft', ['plan'], [put(1, 5)], { estimate: 10 }),
      does('print', ['plan'], [put(1, 5)]),
    ];
    expect(await story(scenario(phases, { concurrency: 2, limits: { tokens: 15 } }), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @0 phase.started data g=0 a=0 told=null
      @20 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @20 phase.started draft g=0 a=0 told=null
      @40 task.reported data g=0 a=0 task="judge" reviewer=true tokens=10 estimated=true
      @40 review.decided data g=0 a=0 verdict="approve" by="gate"
      @40 phase.approved data g=0 a=0 because="approved" outputs={"work":1} version=1 read={}
      @40 limit.reached limit="tokens" used=10 max=15 holds=null refused="work"
      @40 phase.cancelled draft
      @40 phase.skipped print
      @40 run.ended status="exhausted" limit="tokens"
      "
    `);
  });

  //  plan ─────▶ print    plan is reviewed by a person
  //  data                 its task waits for what that of plan may use
  it('checks a waiting try before a review begins, and asks no person if the run is then held', async () => {
    const phases = [
      does('plan', [], [put(1, 10)], { estimate: 10, gate: asks([yes(5)], {}) }),
      does('data', [], [put(1, 3)], { estimate: 10 }),
      does('print', ['plan'], [put(1, 5)]),
    ];
    const held = { limits: { tokens: 15 }, onLimit: 'escalate' as const };
    expect(await story(scenario(phases, { ...held, lifts: false }), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @0 phase.started data g=0 a=0 told=null
      @10 task.reported plan g=0 a=0 task="work" reviewer=false tokens=10 estimated=true
      @10 limit.reached limit="tokens" used=10 max=15 holds=null refused="work"
      @902251244 phase.cancelled plan
      @902251244 phase.cancelled data
      @902251244 phase.skipped print
      @902251244 run.ended status="exhausted" limit="tokens"
      "
    `);
    expect(await story(scenario(phases, held), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @0 phase.started data g=0 a=0 told=null
      @10 task.reported plan g=0 a=0 task="work" reviewer=false tokens=10 estimated=true
      @10 limit.reached limit="tokens" used=10 max=15 holds=null refused="work"
      @902251244 limit.lifted limit="tokens" who="ada"
      @902251244 task.asked plan g=0 a=0 task="judge" reviewer=true
      @902251247 task.reported data g=0 a=0 task="work" reviewer=false tokens=10 estimated=true
      @902251247 phase.approved data g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @902251249 task.answered plan g=0 a=0 task="judge" reviewer=true who="ada"
      @902251249 review.decided plan g=0 a=0 verdict="approve" by="gate"
      @902251249 phase.approved plan g=0 a=0 because="approved" outputs={"work":1} version=1 read={}
      @902251249 phase.started print g=0 a=0 told=null
      @902251254 phase.approved print g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"plan":1}
      @902251254 run.ended status="completed" limit=null
      "
    `);
  });

  //  plan ─┬─▶ check   sends plan back once
  //        └─▶ print   runs then, and begins again with the new plan
  it('charges a stopped try before it checks the next one of its phase', async () => {
    const phases = [
      does('plan', [], [put(1, 10), put(2, 10)]),
      does('check', ['plan'], [put(1, 5), put(1, 5)], {
        gate: gate([back('plan', 'more', 5), yes(5)], { invalidate: 'changed' }),
      }),
      does('print', ['plan'], [put(1, 1000), put(1, 5)], { estimate: 10 }),
    ];
    expect(await story(scenario(phases, { limits: { tokens: 15 } }), BEGINS)).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started check g=0 a=0 told=null
      @10 phase.started print g=0 a=0 told=null
      @20 review.decided check g=0 a=0 verdict="retryPredecessor" by="gate"
      @20 phase.rewinding check g=0 a=0 target="plan" feedback="more" by="gate" spent=1
      @20 phase.started plan g=1 a=1 told="more"
      @30 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @30 phase.invalidated print g=1 because="plan"
      @30 phase.started check g=0 a=0 told=null
      @30 phase.started print g=1 a=0 told=null
      @30 task.reported print g=0 a=0 task="work" reviewer=false tokens=10 estimated=true late=true
      @30 limit.reached limit="tokens" used=10 max=15 holds=null refused="work"
      @30 phase.cancelled check
      @30 phase.cancelled print
      @30 run.ended status="exhausted" limit="tokens"
      "
    `);
  });
});
