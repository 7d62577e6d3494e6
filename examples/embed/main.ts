/**
 * Runs the desk and the coach: `npx jiti examples/embed/main.ts` after `npm ci`.
 *
 * @module
 */
import { approve } from 'phasegate';
import { createActor, waitFor } from 'xstate';
import { coachMachine } from './coach.machine.ts';
import { deskMachine } from './desk.machine.ts';

const desk = createActor(deskMachine);
let shown = 0;
desk.subscribe(({ context }) => {
  for (const line of context.progress.slice(shown)) console.log(line);
  shown = context.progress.length;
});
desk.start();
desk.send({ type: 'order', topic: 'review' });
const { context } = await waitFor(desk, (snapshot) => snapshot.context.question !== null);
console.log(`${context.question?.about} asks: ${context.question?.text}`);
desk.send({ type: 'answer', decision: approve() });
const delivered = await waitFor(desk, (snapshot) => snapshot.status === 'done');
console.log(delivered.context.delivered?.outputs);

const coach = createActor(coachMachine).start();
const done = await waitFor(coach, (snapshot) => snapshot.status === 'done');
console.log(done.context.heard.join('\n'));
console.log(done.context.result);
