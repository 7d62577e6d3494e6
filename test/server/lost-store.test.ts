/**
 * The file of a store is removed or replaced while its dashboard is open: it reports so, and accepts no answers in
 * vain.
 */
import { copyFile, rename } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { definePipeline, human, phase, startRun, task } from '../../src/index.ts';
import { ownStore, served, until } from './rig.ts';

const pipeline = definePipeline({
  name: 'asks',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })],
});

describe.skipIf(process.platform === 'win32')('the dashboard of a store whose file is gone', () => {
  for (const how of ['removed', 'replaced'] as const)
    it(`reports that it was ${how}, answers nothing, and continues once it is back`, async () => {
      const { store, file } = await ownStore();
      const { dashboard, get, post, events } = await served({ store });
      const run = startRun(pipeline, { store, attended: true });
      await until(async () => (await store.inbox({ open: true })).length === 1);
      const [item] = await store.inbox({ open: true });
      run.suspend();
      await run.result;
      const answer = () =>
        post(`/api/inbox/${item?.id}/answer`, { nonce: item?.nonce, reply: { type: 'value', value: 1 } });
      const streams = ['/api/changes', `/api/runs/${run.id}/records`].map((path) => events(path));
      const begun = new Set<unknown>();
      const problems: unknown[] = [];
      const reading = streams.map(async (stream) => {
        for await (const { data } of stream) {
          begun.add(stream);
          if (JSON.stringify(data).startsWith('{"error"')) problems.push(data);
        }
      });
      await until(() => begun.size === streams.length);

      await rename(file, `${file}.away`);
      if (how === 'replaced') await copyFile(`${file}.away`, file);
      const found = how === 'removed' ? 'was removed' : 'is another file than the one that was opened';
      const error = {
        code: 'STORE_UNREADABLE',
        message: expect.stringContaining(` as ${file} ${found}`) as string,
        hint: 'Restore the file, or open the store again. Nothing more is stored in the removed file.',
      };
      expect(await get('/api/runs')).toEqual({ status: 503, body: { error } });
      expect(await answer()).toEqual({ status: 503, body: { error } });
      await until(() => problems.length === 2);
      expect(problems).toEqual([{ error }, { error }]);

      await rename(`${file}.away`, file);
      expect(await store.messages(run.id)).toEqual([]);
      expect(await answer()).toEqual({ status: 200, body: { state: 'kept' } });
      await dashboard.close();
      await Promise.allSettled(reading);
    });
});
