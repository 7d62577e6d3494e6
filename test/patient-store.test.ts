/** Waiting for a store that refuses one run, and serves the others. */
import { expect, it } from 'vitest';
import { memoryStore } from '../src/index.ts';
import { PhasegateError } from '../src/model/errors/phasegate-error.ts';
import { patientStore } from '../src/runtime/records/patient-store.ts';
import type { RunStore } from '../src/store.ts';
import { batchOf } from '../src/testing/store/trial.ts';

it('holds up no other run while a store refuses one by a rejected promise', async () => {
  const store = memoryStore();
  let isLocked = true;
  let refused = () => {};
  const twice = new Promise<void>((resolve) => {
    let times = 0;
    refused = () => {
      times += 1;
      if (times === 2) resolve();
    };
  });
  const locking: RunStore = {
    ...store,
    append: (batch, lease) => {
      if (batch.runId !== 'locked' || !isLocked) return store.append(batch, lease);
      refused();
      return Promise.reject(new PhasegateError('STORE_BUSY', 'Cannot append as the run is locked'));
    },
  };
  const patient = patientStore(locking);
  const waiting = Promise.resolve(patient.append(batchOf('locked', 1)));
  await twice;
  await patient.append(batchOf('free', 1));
  expect((await store.run('free'))?.seq).toBe(1);
  expect(await store.run('locked')).toBeUndefined();
  isLocked = false;
  await waiting;
  expect((await store.run('locked'))?.seq).toBe(1);
});
