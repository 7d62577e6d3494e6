import { definePipeline, phase, startRun, task } from 'phasegate';
import { describe, expect, it } from 'vitest';
import { createActorRegistry, isActorInspection } from '../../src/inspect/actor-registry.ts';

const work = task('work', { run: () => 'done' });
const pipeline = definePipeline({ name: 'p', phases: [phase('one', { tasks: [work], review: () => 'APPROVE' })] });

describe('createActorRegistry()', () => {
  it('keeps the latest statecharts that have ended, without their tasks', async () => {
    const registry = createActorRegistry(5);
    const dropped: string[] = [];
    const names = new Map<string, string>();
    for (const runId of ['a', 'b', 'c', 'd']) {
      await startRun(pipeline, {
        runId,
        inspect: (event) => {
          if (!isActorInspection(event)) return;
          names.set(event.actorRef.sessionId, String(Reflect.get(event.actorRef, 'id')));
          const gone = registry.record(event);
          if (gone !== undefined) dropped.push(names.get(gone) ?? '');
        },
      }).result;
    }
    // The actors are in the order of their creation. The pipeline actor of run b ended last.
    expect(registry.ids().map((id) => names.get(id))).toEqual(['b', 'c', 'one', 'd', 'one']);
    expect(dropped).toEqual(['one', 'a', 'one']);
    const latest = registry.ids().map((id) => registry.get(id)?.latest);
    expect(latest.every((told) => told?.type === '@xstate.snapshot' && told.snapshot.status === 'done')).toBe(true);
  });

  it('keeps every live actor, beyond its limit', () => {
    const registry = createActorRegistry(0);
    const run = startRun(
      definePipeline({
        name: 'p',
        phases: ['one', 'two', 'three'].map((name) => phase(name, { tasks: [task('wait', { run: () => forever })] })),
      }),
      { runId: 'run', inspect: (event) => void (isActorInspection(event) && registry.record(event)) },
    );
    return new Promise<void>((resolve, reject) => {
      run.events$.subscribe(({ event }) => {
        if (event.type !== 'task.started' || event.phase !== 'three') return;
        try {
          const ids = registry.ids().map((id) => String(Reflect.get(registry.get(id)?.made.actorRef ?? {}, 'id')));
          expect(ids).toEqual(['run', 'one', 'two', 'three']);
          resolve();
        } catch (error) {
          reject(error);
        } finally {
          run.cancel();
        }
      });
    });
  });
});

// --- internal ---

const forever = new Promise<never>(() => undefined);
