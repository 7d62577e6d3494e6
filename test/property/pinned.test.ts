/**
 * Instructive scenarios: the full account by docs/semantics.md, which the runtime and the reference share.
 *
 * Times are virtual milliseconds. The text leaves out events of tasks and reviews, which are compared all the same.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { about, back, does, gate, put, scenario, yes } from './pinned.ts';
import { story } from './story.ts';

// XState's development build warns once per action of every phase.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('startRun()', () => {
  //  plan ─┬─▶ left     sends plan back at 15, and apart takes its place: plan waits
  //        └─▶ right    sends plan back at 19, and plan takes its place
  //  other ──▶ apart
  //  filler             keeps the third place
  it('gives one attempt both demands that come before it starts', async () => {
    const phases = [
      does('plan', [], [put(1, 10), put(2, 10)]),
      does('other', [], [put(1, 13)]),
      does('filler', [], [put(1, 100)]),
      does('left', ['plan'], [put(1, 2), put(1, 7)], { gate: gate([back('plan', 'from left', 3), yes(1)]) }),
      does('right', ['plan'], [put(1, 4), put(1, 9)], { gate: gate([back('plan', 'from right', 2), yes(1)]) }),
      does('apart', ['other'], [put(1, 90)]),
    ];
    expect(await story(scenario(phases, { concurrency: 3 }))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @0 phase.started other g=0 a=0 told=null
      @0 phase.started filler g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started left g=0 a=0 told=null
      @13 phase.approved other g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @13 phase.started right g=0 a=0 told=null
      @15 phase.rewinding left g=0 a=0 target="plan" feedback="from left" by="gate" spent=1
      @15 phase.started apart g=0 a=0 told=null
      @19 phase.rewinding right g=0 a=0 target="plan" feedback="from right" by="gate" spent=1
      @19 phase.started plan g=1 a=1 told="from left\\n\\nfrom right"
      @29 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @29 phase.started left g=0 a=0 told=null
      @37 phase.approved left g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":2}
      @37 phase.started right g=0 a=0 told=null
      @47 phase.approved right g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":2}
      @100 phase.approved filler g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @105 phase.approved apart g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"other":1}
      @105 run.ended status="completed" limit=null
      "
    `);
  });

  //  plan ─┬─▶ left    sends plan back at 15
  //        └─▶ right   sends plan back at 20, while plan works on the first demand
  it('runs a phase again for a demand that came while it worked', async () => {
    const phases = [
      does('plan', [], [put(1, 10), put(2, 10), put(3, 10)]),
      does('left', ['plan'], [put(1, 2), put(1, 7)], { gate: gate([back('plan', 'from left', 3), yes(1)]) }),
      does('right', ['plan'], [put(1, 3), put(1, 9)], { gate: gate([back('plan', 'from right', 7), yes(1)]) }),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started left g=0 a=0 told=null
      @10 phase.started right g=0 a=0 told=null
      @15 phase.rewinding left g=0 a=0 target="plan" feedback="from left" by="gate" spent=1
      @15 phase.started plan g=1 a=1 told="from left"
      @20 phase.rewinding right g=0 a=0 target="plan" feedback="from right" by="gate" spent=1
      @25 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @25 phase.started plan g=2 a=2 told="from right"
      @35 phase.approved plan g=2 a=2 because="unreviewed" outputs={"work":3} version=3 read={}
      @35 phase.started left g=0 a=0 told=null
      @35 phase.started right g=0 a=0 told=null
      @43 phase.approved left g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":3}
      @45 phase.approved right g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":3}
      @45 run.ended status="completed" limit=null
      "
    `);
  });

  //  plan ─┬─▶ first    sends plan back at 15: what others read is kept ('requester')
  //        ├─▶ second   sends it back at 18, for 'all'
  //        ├─▶ third    sends it back at 20, for what 'changed'
  //        └─▶ reader   has read the first version; the last one is equal to it
  it('reaches as far as the widest of the demands that a commit answers', async () => {
    const phases = [
      does('plan', [], [put(1, 10), put(2, 10), put(1, 10)]),
      does('first', ['plan'], [put(1, 2), put(1, 6)], { gate: gate([back('plan', 'one', 3), yes(1)]) }),
      does('second', ['plan'], [put(1, 4), put(1, 8)], {
        gate: gate([back('plan', 'two', 4), yes(1)], { invalidate: 'all' }),
      }),
      does('third', ['plan'], [put(1, 7), put(1, 10)], {
        gate: gate([back('plan', 'three', 3), yes(2)], { invalidate: 'changed' }),
      }),
      does('reader', ['plan'], [put(1, 1), put(1, 4)]),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started first g=0 a=0 told=null
      @10 phase.started second g=0 a=0 told=null
      @10 phase.started third g=0 a=0 told=null
      @10 phase.started reader g=0 a=0 told=null
      @11 phase.approved reader g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"plan":1}
      @15 phase.rewinding first g=0 a=0 target="plan" feedback="one" by="gate" spent=1
      @15 phase.started plan g=1 a=1 told="one"
      @18 phase.rewinding second g=0 a=0 target="plan" feedback="two" by="gate" spent=1
      @20 phase.rewinding third g=0 a=0 target="plan" feedback="three" by="gate" spent=1
      @25 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @25 phase.stale reader because="plan"
      @25 phase.started plan g=2 a=2 told="two\\n\\nthree"
      @35 phase.approved plan g=2 a=2 because="unreviewed" outputs={"work":1} version=3 read={}
      @35 phase.invalidated reader g=1 because="plan"
      @35 phase.started first g=0 a=0 told=null
      @35 phase.started second g=0 a=0 told=null
      @35 phase.started third g=0 a=0 told=null
      @35 phase.started reader g=1 a=0 told=null
      @39 phase.approved reader g=1 a=0 because="unreviewed" outputs={"work":1} version=2 read={"plan":3}
      @42 phase.approved first g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":3}
      @44 phase.approved second g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":3}
      @47 phase.approved third g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":3}
      @47 run.ended status="completed" limit=null
      "
    `);
  });

  //  root ─┬─▶ left ──┬─▶ join   sends root back: left and right run again, apart keeps what it read
  //        ├─▶ right ─┘
  //        └─▶ apart
  it('runs every phase on both paths to an ancestor again', async () => {
    const phases = [
      does('root', [], [put(1, 10), put(2, 10)]),
      does('left', ['root'], [put(1, 5), put(1, 6)]),
      does('right', ['root'], [put(1, 7), put(1, 8)]),
      does('apart', ['root'], [put(1, 2)]),
      does('join', ['left', 'right'], [put(1, 3), put(1, 4)], {
        gate: gate([back('root', 'start over', 1), yes(2)], { rewindTo: 'ancestors' }),
      }),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started root g=0 a=0 told=null
      @10 phase.approved root g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started left g=0 a=0 told=null
      @10 phase.started right g=0 a=0 told=null
      @10 phase.started apart g=0 a=0 told=null
      @12 phase.approved apart g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"root":1}
      @15 phase.approved left g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"root":1}
      @17 phase.approved right g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"root":1}
      @17 phase.started join g=0 a=0 told=null
      @21 phase.rewinding join g=0 a=0 target="root" feedback="start over" by="gate" spent=1
      @21 phase.invalidated left g=1 because="root"
      @21 phase.invalidated right g=1 because="root"
      @21 phase.started root g=1 a=1 told="start over"
      @31 phase.approved root g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @31 phase.stale apart because="root"
      @31 phase.started left g=1 a=0 told=null
      @31 phase.started right g=1 a=0 told=null
      @37 phase.approved left g=1 a=0 because="unreviewed" outputs={"work":1} version=2 read={"root":2}
      @39 phase.approved right g=1 a=0 because="unreviewed" outputs={"work":1} version=2 read={"root":2}
      @39 phase.started join g=0 a=0 told=null
      @45 phase.approved join g=0 a=0 because="approved" outputs={"work":1} version=1 read={"left":2,"right":2}
      @45 run.ended status="completed" limit=null
      "
    `);
  });

  //  source ─┬─▶ same ──▶ after     same puts out what it did before: after need not run again
  //          ├─▶ other ─▶ below     other does not: below runs again, too
  //          └─▶ judge              sends source back
  it('stops at a phase with an unchanged output', async () => {
    const phases = [
      does('source', [], [put(1, 10), put(2, 10)]),
      does('same', ['source'], [put(7, 1), put(7, 2)]),
      does('after', ['same'], [put(1, 2)]),
      does('other', ['source'], [put(1, 4), put(2, 5)]),
      does('below', ['other'], [put(1, 6), put(1, 7)]),
      does('judge', ['source'], [put(1, 20), put(1, 21)], {
        gate: gate([back('source', 'again', 1), yes(2)], { invalidate: 'changed' }),
      }),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started source g=0 a=0 told=null
      @10 phase.approved source g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started same g=0 a=0 told=null
      @10 phase.started other g=0 a=0 told=null
      @10 phase.started judge g=0 a=0 told=null
      @11 phase.approved same g=0 a=0 because="unreviewed" outputs={"work":7} version=1 read={"source":1}
      @11 phase.started after g=0 a=0 told=null
      @13 phase.approved after g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"same":1}
      @14 phase.approved other g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"source":1}
      @14 phase.started below g=0 a=0 told=null
      @20 phase.approved below g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"other":1}
      @31 phase.rewinding judge g=0 a=0 target="source" feedback="again" by="gate" spent=1
      @31 phase.started source g=1 a=1 told="again"
      @41 phase.approved source g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @41 phase.invalidated same g=1 because="source"
      @41 phase.invalidated other g=1 because="source"
      @41 phase.started same g=1 a=0 told=null
      @41 phase.started other g=1 a=0 told=null
      @41 phase.started judge g=0 a=0 told=null
      @43 phase.approved same g=1 a=0 because="unreviewed" outputs={"work":7} version=2 read={"source":2}
      @43 phase.unaffected after source="same" version=2
      @46 phase.approved other g=1 a=0 because="unreviewed" outputs={"work":2} version=2 read={"source":2}
      @46 phase.invalidated below g=1 because="other"
      @46 phase.started below g=1 a=0 told=null
      @53 phase.approved below g=1 a=0 because="unreviewed" outputs={"work":1} version=2 read={"other":2}
      @64 phase.approved judge g=0 a=0 because="approved" outputs={"work":1} version=1 read={"source":2}
      @64 run.ended status="completed" limit=null
      "
    `);
  });

  //  a ──▶ b ──▶ c      c sends b back, b sends a back while it works on that, and receives c's demand again
  it('repeats a demand if the phase restarts before it has answered', async () => {
    const phases = [
      does('a', [], [put(1, 10), put(2, 10)]),
      does('b', ['a'], [put(1, 5), put(2, 5), put(3, 5)], {
        gate: gate([yes(1), back('a', 'b needs more', 2), yes(3)]),
      }),
      does('c', ['b'], [put(1, 4), put(1, 4)], { gate: gate([back('b', 'c needs more', 1), yes(2)]) }),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started a g=0 a=0 told=null
      @10 phase.approved a g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started b g=0 a=0 told=null
      @16 phase.approved b g=0 a=0 because="approved" outputs={"work":1} version=1 read={"a":1}
      @16 phase.started c g=0 a=0 told=null
      @21 phase.rewinding c g=0 a=0 target="b" feedback="c needs more" by="gate" spent=1
      @21 phase.started b g=1 a=1 told="c needs more"
      @28 phase.rewinding b g=1 a=1 target="a" feedback="b needs more" by="gate" spent=1
      @28 phase.started a g=1 a=1 told="b needs more"
      @38 phase.approved a g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @38 phase.started b g=1 a=1 told="c needs more"
      @46 phase.approved b g=1 a=1 because="approved" outputs={"work":3} version=2 read={"a":2}
      @46 phase.started c g=0 a=0 told=null
      @52 phase.approved c g=0 a=0 because="approved" outputs={"work":1} version=1 read={"b":2}
      @52 run.ended status="completed" limit=null
      "
    `);
  });

  //  breaks            fails at 5
  //  works ──▶ next    is cancelled, next is skipped
  //  done              stays approved
  it('halts the run on a failure', async () => {
    const phases = [
      does('breaks', [], [{ do: 'throw', delay: 5 }]),
      does('works', [], [put(1, 9)]),
      does('next', ['works'], []),
      does('done', [], [put(1, 2)]),
    ];
    expect(await story(scenario(phases, { onFailure: 'halt' }))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started breaks g=0 a=0 told=null
      @0 phase.started works g=0 a=0 told=null
      @0 phase.started done g=0 a=0 told=null
      @2 phase.approved done g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @5 phase.failed breaks g=0 a=0 code="TASK_FAILED"
      @5 phase.cancelled works
      @5 phase.skipped next
      @5 run.ended status="failed" limit=null
      "
    `);
  });

  //  plan ─┬─▶ asks ──▶ waits   asks for a person, who sends plan back a long time later
  //        └─▶ goes ──▶ on      does not mind
  it('continues everything else while a person is asked', async () => {
    const phases = [
      does('plan', [], [put(1, 10), put(2, 11)]),
      does('asks', ['plan'], [put(1, 1), put(2, 2)], {
        gate: gate([{ do: 'escalate', delay: 1 }, yes(4)]),
        people: [{ do: 'rewind', phase: 'plan', feedback: 'a person wants more' }],
      }),
      does('waits', ['asks'], [put(1, 6)]),
      does('goes', ['plan'], [put(1, 3)]),
      does('on', ['goes'], [put(1, 5)]),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started asks g=0 a=0 told=null
      @10 phase.started goes g=0 a=0 told=null
      @12 phase.escalated asks g=0 a=0 because="requested"
      @13 phase.approved goes g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"plan":1}
      @13 phase.started on g=0 a=0 told=null
      @18 phase.approved on g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"goes":1}
      @1129749004 phase.rewinding asks g=0 a=0 target="plan" feedback="a person wants more" by="person" spent=0
      @1129749004 phase.started plan g=1 a=1 told="a person wants more"
      @1129749015 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @1129749015 phase.stale goes because="plan"
      @1129749015 phase.started asks g=0 a=0 told=null
      @1129749021 phase.approved asks g=0 a=0 because="approved" outputs={"work":2} version=1 read={"plan":2}
      @1129749021 phase.started waits g=0 a=0 told=null
      @1129749027 phase.approved waits g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"asks":1}
      @1129749027 run.ended status="completed" limit=null
      "
    `);
  });

  //  shared ─┬─▶ asker          sends shared back while gone fails; shared commits all the same
  //          ├──────▶ reader    reviews for long, and must run again for what changed
  //  gone ───┴─▶ asker, fails   is sent back by critic, and fails
  it('marks or reruns phases that work on old outputs, even if the requester has failed meanwhile', async () => {
    const phases = [
      does('shared', [], [put(0, 1), put(1, 20)]),
      does('gone', [], [put(0, 2), { do: 'throw', delay: 6 }]),
      does('asker', ['shared', 'gone'], [put(0, 3)], {
        gate: gate([back('shared', 'more', 1)], { invalidate: 'changed' }),
      }),
      does('critic', ['gone'], [put(0, 6)], { gate: gate([back('gone', 'better', 3)]) }),
      does('reader', ['shared'], [put(0, 8), put(1, 4)], { gate: gate([yes(100), yes(7)]) }),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started shared g=0 a=0 told=null
      @0 phase.started gone g=0 a=0 told=null
      @1 phase.approved shared g=0 a=0 because="unreviewed" outputs={"work":0} version=1 read={}
      @1 phase.started reader g=0 a=0 told=null
      @2 phase.approved gone g=0 a=0 because="unreviewed" outputs={"work":0} version=1 read={}
      @2 phase.started asker g=0 a=0 told=null
      @2 phase.started critic g=0 a=0 told=null
      @6 phase.rewinding asker g=0 a=0 target="shared" feedback="more" by="gate" spent=1
      @6 phase.started shared g=1 a=1 told="more"
      @11 phase.rewinding critic g=0 a=0 target="gone" feedback="better" by="gate" spent=1
      @11 phase.started gone g=1 a=1 told="better"
      @17 phase.failed gone g=1 a=1 code="TASK_FAILED"
      @17 phase.failed asker g=0 a=0 code="PREDECESSOR_FAILED"
      @17 phase.failed critic g=0 a=0 code="PREDECESSOR_FAILED"
      @26 phase.approved shared g=1 a=1 because="unreviewed" outputs={"work":1} version=2 read={}
      @26 phase.invalidated reader g=1 because="shared"
      @26 phase.started reader g=1 a=0 told=null
      @37 phase.approved reader g=1 a=0 because="approved" outputs={"work":1} version=1 read={"shared":2}
      @37 run.ended status="failed" limit=null
      "
    `);
  });

  //  plan ─┬─▶ draft ──▶ print   print has failed before draft is made to run again
  //        └─▶ judge             sends plan back, and everything that read it runs again
  it('ends, although a phase whose successor has failed runs again', async () => {
    const phases = [
      does('plan', [], [put(1, 10), put(2, 10)]),
      does('draft', ['plan'], [put(1, 3), put(2, 60)]),
      does('judge', ['plan'], [put(1, 20), put(1, 30)], {
        gate: gate([back('plan', 'again', 1), yes(2)], { invalidate: 'all' }),
      }),
      does('print', ['draft'], [{ do: 'throw', delay: 5 }]),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started draft g=0 a=0 told=null
      @10 phase.started judge g=0 a=0 told=null
      @13 phase.approved draft g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"plan":1}
      @13 phase.started print g=0 a=0 told=null
      @18 phase.failed print g=0 a=0 code="TASK_FAILED"
      @31 phase.rewinding judge g=0 a=0 target="plan" feedback="again" by="gate" spent=1
      @31 phase.started plan g=1 a=1 told="again"
      @41 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @41 phase.invalidated draft g=1 because="plan"
      @41 phase.started draft g=1 a=0 told=null
      @41 phase.started judge g=0 a=0 told=null
      @73 phase.approved judge g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":2}
      @101 phase.approved draft g=1 a=0 because="unreviewed" outputs={"work":2} version=2 read={"plan":2}
      @101 run.ended status="failed" limit=null
      "
    `);
  });

  //  plan ─┬─▶ asker     may not send plan back, and waits for a person
  //        └─▶ next      has its place
  it('releases a slot before another phase takes it', async () => {
    const phases = [
      does('plan', [], [put(1, 10)]),
      does('asker', ['plan'], [put(1, 3)], { gate: gate([back('plan', 'again', 1)]) }),
      does('next', ['plan'], [put(1, 5)]),
    ];
    const held = { concurrency: 1, limits: { perPair: 0 }, onLimit: 'escalate' as const };
    expect(await story(scenario(phases, held))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started asker g=0 a=0 told=null
      @14 limit.reached limit="perPair" used=0 max=0 holds="asker"
      @14 phase.escalated asker g=0 a=0 because="limit"
      @14 phase.started next g=0 a=0 told=null
      @19 phase.approved next g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"plan":1}
      @2861144393 phase.approved asker g=0 a=0 because="approved" outputs={"work":1} version=1 read={"plan":1}
      @2861144393 run.ended status="completed" limit=null
      "
    `);
  });

  //  a ──▶ b      retries, then works for a person; the second corrections is one too many for the gate alone
  it('refuses a correction of a gate beyond the limit, but never one of a person', async () => {
    const phases = [
      does('a', [], [put(1, 10), put(2, 11), put(3, 12)], {
        gate: gate([{ do: 'retry', feedback: 'once', delay: 1 }, { do: 'retry', feedback: 'twice', delay: 2 }, yes(3)]),
        people: [{ do: 'retry', feedback: 'a person, once more' }],
      }),
      does('b', ['a'], [put(1, 4)]),
    ];
    expect(await story(scenario(phases, { limits: { corrections: 1 }, onLimit: 'escalate' }))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started a g=0 a=0 told=null
      @11 phase.retrying a g=0 a=0 feedback="once" by="gate" spent=1
      @11 phase.started a g=0 a=1 told="once"
      @24 limit.reached limit="corrections" used=1 max=1 holds="a"
      @24 phase.escalated a g=0 a=1 because="limit"
      @614215215 phase.retrying a g=0 a=1 feedback="a person, once more" by="person" spent=1
      @614215215 phase.started a g=0 a=2 told="a person, once more"
      @614215230 phase.approved a g=0 a=2 because="approved" outputs={"work":3} version=1 read={}
      @614215230 phase.started b g=0 a=0 told=null
      @614215234 phase.approved b g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"a":1}
      @614215234 run.ended status="completed" limit=null
      "
    `);
  });

  //  first    its reviewer reports what is over the limit, and wants a retry: the run is held
  //  second   waits for the one place there is, which first keeps
  it('lets a phase that kept its slot continue when the limit is lifted', async () => {
    const phases = [
      does('first', [], [put(1, 10), put(2, 10)], {
        gate: gate([{ do: 'retry', feedback: 'again', tokens: 10, delay: 1 }, yes(2)]),
      }),
      does('second', [], [put(1, 3)]),
    ];
    const held = { concurrency: 1, limits: { tokens: 5 }, onLimit: 'escalate' as const };
    expect(await story(scenario(phases, held))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started first g=0 a=0 told=null
      @11 limit.reached limit="tokens" used=10 max=5 holds=null
      @11 phase.retrying first g=0 a=0 feedback="again" by="gate" spent=1
      @902251245 limit.lifted limit="tokens" who="ada"
      @902251245 phase.started first g=0 a=1 told="again"
      @902251257 phase.approved first g=0 a=1 because="approved" outputs={"work":2} version=1 read={}
      @902251257 phase.started second g=0 a=0 told=null
      @902251260 phase.approved second g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @902251260 run.ended status="completed" limit=null
      "
    `);
  });

  //  text ─┐
  //  data ─┴─▶ report    has an issue of each: data is named first, and text is defined first
  it('starts the targets of one demand in definition order', async () => {
    const phases = [
      does('text', [], [put(1, 10), put(2, 10)]),
      does('data', [], [put(1, 20), put(2, 20)]),
      does('report', ['data', 'text'], [put(1, 5), put(2, 6)], {
        gate: gate([back('data', 'both', 1, [about('data'), about('text')]), yes(2)]),
      }),
    ];
    expect(await story(scenario(phases, { concurrency: 1 }))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started text g=0 a=0 told=null
      @10 phase.approved text g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started data g=0 a=0 told=null
      @30 phase.approved data g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @30 phase.started report g=0 a=0 told=null
      @36 phase.rewinding report g=0 a=0 target="text" feedback="both\\n\\n- [low] itext is wrong." issues=["itext"] by="gate" spent=1 riders=[{"phase":"data","feedback":"- [low] idata is wrong.","issues":["idata"]}]
      @36 phase.started text g=1 a=1 told="both\\n\\n- [low] itext is wrong." issues=["itext"]
      @46 phase.approved text g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @46 phase.started data g=1 a=1 told="- [low] idata is wrong." issues=["idata"]
      @66 phase.approved data g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @66 phase.started report g=0 a=0 told=null
      @74 phase.approved report g=0 a=0 because="approved" outputs={"work":2} version=1 read={"data":2,"text":2}
      @74 run.ended status="completed" limit=null
      "
    `);
  });

  //  text ─┐
  //  data ─┴─▶ report    may send back each once, and has an issue of data again when it has one of text: that reaches no phase
  it('replays a journal with an issue that reached no phase, as no rewind was left for it', async () => {
    const phases = [
      does('text', [], [put(1, 10), put(2, 10)]),
      does('data', [], [put(1, 20), put(2, 20)]),
      does('report', ['data', 'text'], [put(1, 5), put(2, 6), put(3, 7)], {
        gate: gate(
          [back('data', 'data', 1, [about('data')]), back('text', 'text', 3, [about('text'), about('data')]), yes(2)],
          { maxPredecessorRetries: 1, loopAfter: 'unlimited' },
        ),
      }),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started text g=0 a=0 told=null
      @0 phase.started data g=0 a=0 told=null
      @10 phase.approved text g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @20 phase.approved data g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @20 phase.started report g=0 a=0 told=null
      @26 phase.rewinding report g=0 a=0 target="data" feedback="data\\n\\n- [low] idata is wrong." issues=["idata"] by="gate" spent=1
      @26 phase.started data g=1 a=1 told="data\\n\\n- [low] idata is wrong." issues=["idata"]
      @46 phase.approved data g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @46 phase.started report g=0 a=0 told=null
      @55 phase.rewinding report g=0 a=0 target="text" feedback="text\\n\\n- [low] itext is wrong." issues=["itext"] by="gate" spent=1
      @55 phase.started text g=1 a=1 told="text\\n\\n- [low] itext is wrong." issues=["itext"]
      @65 phase.approved text g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @65 phase.started report g=0 a=0 told=null
      @74 phase.approved report g=0 a=0 because="approved" outputs={"work":3} version=1 read={"data":2,"text":2}
      @74 run.ended status="completed" limit=null
      "
    `);
  });

  //  plan ──▶ draft    sends plan back, which may not be attempted again: the run is held
  //  apart             its gate wants a retry while the run is held: it waits for a person as well, and that is all that is said
  it('replays a journal in which a limit that holds the run has refused a retry', async () => {
    const phases = [
      does('plan', [], [put(1, 10)]),
      does('draft', ['plan'], [put(1, 5)], { gate: gate([back('plan', 'deeper', 1), yes(1)]) }),
      does('apart', [], [put(1, 30)], { gate: gate([{ do: 'retry', feedback: 'longer', delay: 2 }, yes(1)]) }),
      does('other', [], [put(1, 3)], { gate: gate([yes(1)]) }),
    ];
    const held = { limits: { attemptsPerPhase: 1 }, onLimit: 'escalate' as const, lifts: false };
    expect(await story(scenario(phases, held))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @0 phase.started apart g=0 a=0 told=null
      @0 phase.started other g=0 a=0 told=null
      @4 phase.approved other g=0 a=0 because="approved" outputs={"work":1} version=1 read={}
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started draft g=0 a=0 told=null
      @16 phase.rewinding draft g=0 a=0 target="plan" feedback="deeper" by="gate" spent=1
      @16 limit.reached limit="attemptsPerPhase" used=1 max=1 holds=null
      @32 phase.escalated apart g=0 a=0 because="limit"
      @2125621746 phase.stale plan
      @2125621746 phase.cancelled draft
      @2125621746 phase.cancelled apart
      @2125621746 run.ended status="exhausted" limit="attemptsPerPhase"
      "
    `);
  });

  //  plan ──▶ draft ──▶ print    has an issue of its own and one of plan, but may not be attempted again when plan is done
  it("leaves a phase's own issues to the person who decides, instead of its next start", async () => {
    const phases = [
      does('plan', [], [put(1, 10), put(2, 10)]),
      does('draft', ['plan'], [put(1, 5), put(2, 6)], {
        gate: gate([{ do: 'retry', feedback: 'longer', delay: 1 }, back('plan', 'deeper', 2, [about('draft')])]),
        people: [{ do: 'approve' }],
      }),
    ];
    const held = { limits: { attemptsPerPhase: 2 }, onLimit: 'escalate' as const };
    expect(await story(scenario(phases, held))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started draft g=0 a=0 told=null
      @16 phase.retrying draft g=0 a=0 feedback="longer" by="gate" spent=1
      @16 phase.started draft g=0 a=1 told="longer"
      @24 phase.rewinding draft g=0 a=1 target="plan" feedback="deeper" by="gate" spent=1 riders=[{"phase":"draft","feedback":"- [low] idraft is wrong.","issues":["idraft"]}]
      @24 phase.started plan g=1 a=1 told="deeper"
      @34 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @34 limit.reached limit="attemptsPerPhase" used=2 max=2 holds="draft"
      @34 phase.escalated draft g=0 a=1 because="limit"
      @4288019585 phase.approved draft g=0 a=1 because="approved" outputs={"work":2} version=1 read={"plan":1}
      @4288019585 phase.stale draft because="plan"
      @4288019585 run.ended status="completed" limit=null
      "
    `);
  });

  //  plan ──▶ data ──▶ draft    may send back data alone; a person has an issue of plan, and one of data
  it('sends back the earliest phase with an issue of a person', async () => {
    const phases = [
      does('plan', [], [put(1, 10), put(2, 10)]),
      does('data', ['plan'], [put(1, 5), put(2, 5)]),
      does('draft', ['data'], [put(1, 3), put(2, 3)], {
        gate: gate([{ do: 'escalate', delay: 1 }, yes(1)]),
        people: [{ do: 'retry', feedback: 'so', issues: [about('data'), about('plan')] }],
      }),
    ];
    expect(await story(scenario(phases))).toMatchInlineSnapshot(`
      "
      @0 run.started
      @0 phase.started plan g=0 a=0 told=null
      @10 phase.approved plan g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={}
      @10 phase.started data g=0 a=0 told=null
      @15 phase.approved data g=0 a=0 because="unreviewed" outputs={"work":1} version=1 read={"plan":1}
      @15 phase.started draft g=0 a=0 told=null
      @19 phase.escalated draft g=0 a=0 because="requested"
      @4288019570 phase.rewinding draft g=0 a=0 target="plan" feedback="so\\n\\n- [low] iplan is wrong." issues=["iplan"] by="person" spent=0 riders=[{"phase":"data","feedback":"- [low] idata is wrong.","issues":["idata"]}]
      @4288019570 phase.invalidated data g=1 because="plan"
      @4288019570 phase.started plan g=1 a=1 told="so\\n\\n- [low] iplan is wrong." issues=["iplan"]
      @4288019580 phase.approved plan g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={}
      @4288019580 phase.started data g=1 a=1 told="- [low] idata is wrong." issues=["idata"]
      @4288019585 phase.approved data g=1 a=1 because="unreviewed" outputs={"work":2} version=2 read={"plan":2}
      @4288019585 phase.started draft g=0 a=0 told=null
      @4288019589 phase.approved draft g=0 a=0 because="approved" outputs={"work":2} version=1 read={"data":2}
      @4288019589 run.ended status="completed" limit=null
      "
    `);
  });
});
