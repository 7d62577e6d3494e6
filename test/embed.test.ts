import { approve, reject } from 'phasegate';
import { createActor, waitFor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { coachMachine } from '../examples/embed/coach.machine.ts';
import { deskMachine } from '../examples/embed/desk.machine.ts';

describe('examples/embed: the desk', () => {
  it('shows every event, asks a person, and delivers', async () => {
    const desk = createActor(deskMachine).start();
    desk.send({ type: 'order', topic: 'review' });
    const asked = await waitFor(desk, (snapshot) => snapshot.context.question !== null);
    expect(asked.context.question).toEqual({ about: 'publish', text: 'Publishing cannot be undone.' });

    desk.send({ type: 'answer', decision: approve() });
    const done = await waitFor(desk, (snapshot) => snapshot.status === 'done');
    expect(done.value).toBe('delivered');
    expect(done.context.delivered).toMatchObject({
      status: 'completed',
      outputs: {
        draft: { write: 'On review: gates decide what goes on.' },
        publish: { print: 'ON REVIEW: GATES DECIDE WHAT GOES ON.' },
      },
    });
    const { progress } = done.context;
    expect(progress.filter((line) => /^(?:run|phase)\./u.test(line))).toEqual([
      'run.started',
      'phase.started draft',
      'phase.retrying draft',
      'phase.started draft',
      'phase.approved draft',
      'phase.started publish',
      'phase.escalated publish',
      'phase.approved publish',
      'run.ended',
    ]);
  });

  it('delivers a rejection as well', async () => {
    const desk = createActor(deskMachine).start();
    desk.send({ type: 'order', topic: 'review' });
    await waitFor(desk, (snapshot) => snapshot.context.question !== null);
    desk.send({ type: 'answer', decision: reject('not today') });
    const done = await waitFor(desk, (snapshot) => snapshot.status === 'done');
    expect(done.context.delivered).toMatchObject({ status: 'rejected', outputs: { draft: {} } });
  });

  it('can be closed at any time, and takes the next order', async () => {
    const desk = createActor(deskMachine).start();
    desk.send({ type: 'order', topic: 'one' });
    const run = desk.getSnapshot().context.run;
    desk.send({ type: 'close' });
    expect(run?.getSnapshot().status).toBe('stopped');
    expect(desk.getSnapshot().value).toBe('idle');
    desk.send({ type: 'order', topic: 'two' });
    const asked = await waitFor(desk, (snapshot) => snapshot.context.question !== null);
    expect(asked.context.question?.about).toBe('publish');
    desk.stop();
  });
});

describe('examples/embed: the coach', () => {
  it('lets the phase retry until its review approves', async () => {
    const coach = createActor(coachMachine).start();
    const done = await waitFor(coach, (snapshot) => snapshot.status === 'done');
    expect(done.context.result).toEqual({ status: 'approved', outputs: { repeat: 3 } });
    expect(done.context.heard.filter((type) => type.startsWith('phase.'))).toEqual([
      'phase.started',
      'phase.retrying',
      'phase.started',
      'phase.retrying',
      'phase.started',
      'phase.approved',
    ]);
  });
});
