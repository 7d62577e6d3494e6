import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import { approve, memoryStore, reject, resumeRun, startRun } from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import type { RunStore } from '../../src/store.ts';
import { useFolder } from '../workspaces/rig.ts';
import { BLOG, BLOG_SCRIPTS, makeFleet, type FleetLab } from './rig.ts';

const folder = useFolder();

/** Starts the fleet of a plan of three levels, until it waits for a person. */
async function untilAsked(lab: FleetLab, store: RunStore): Promise<void> {
  const run = startRun(compilePlan(BLOG, { ...lab.options, approval: true }), { store, runId: 'asked' });
  for await (const { event } of run) if (event.type === 'task.asked') break;
  run.suspend();
  await run.result;
}

describe('a fleet that asks a person first', () => {
  it('starts no agent before the approval, and does all levels after it', async () => {
    const lab = await makeFleet(folder.path, BLOG_SCRIPTS);
    const store = memoryStore();
    await untilAsked(lab, store);
    expect(await lab.calls('1')).toEqual([]);
    const bounds = (await store.read('asked')).flatMap(({ event }) =>
      event.type === 'task.completed' && event.task === 'bounds' ? [event.output] : [],
    );
    // Five subtasks with two attempts of one try.
    expect(JSON.stringify(bounds)).toContain('At worst: 10 turns of agents, with their tries, and 0 reviews');

    const [item] = await store.inbox({ open: true });
    await answerItem(store, item?.id ?? '', { type: 'decide', decision: approve() });
    const again = await resumeRun(store, 'asked', compilePlan(BLOG, { ...lab.options, approval: true }));
    expect(await again.result).toMatchObject({ status: 'completed' });
    expect(await lab.filesAt('phasegate/asked')).toMatchObject({
      'models/user.txt': 'user',
      'test/all/blog.txt': 'all',
    });
  });

  it('starts no agent if the person rejects the plan', async () => {
    const lab = await makeFleet(folder.path, BLOG_SCRIPTS);
    const store = memoryStore();
    await untilAsked(lab, store);
    const [item] = await store.inbox({ open: true });
    await answerItem(store, item?.id ?? '', { type: 'decide', decision: reject('Not now.') });
    const again = await resumeRun(store, 'asked', compilePlan(BLOG, { ...lab.options, approval: true }));
    expect(await again.result).toMatchObject({ status: 'rejected' });
    expect(await lab.calls('1')).toEqual([]);
  });
});
