/** Ended streams leave nothing behind, and requests for missing things are refused as such. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { memoryStore, PhasegateError } from '../../src/index.ts';
import { createBell, eventStream, type OpenStreams } from '../../src/server/streams/event-stream.ts';
import { createRecordStream } from '../../src/server/records.ts';
import { refused } from '../../src/server/http/error-response.ts';

describe('createBell()', () => {
  it('removes its listeners from longer-lived signals', async () => {
    const server = new AbortController();
    for (let stream = 0; stream < 50; stream++) {
      const bell = createBell(server.signal);
      bell.ring();
      expect(await bell.wait(1)).toBe(true);
      bell.close();
    }
    expect(getEventListeners(server.signal, 'abort')).toEqual([]);
  });
});

describe('eventStream()', () => {
  it.each([
    ['ends', undefined],
    ['fails', new Error('The store is gone.')],
  ])('is no longer open once its source %s', async (_, failure) => {
    const open: OpenStreams = new Set();
    async function* texts() {
      yield await Promise.resolve('one');
      if (failure) throw failure;
    }
    const reader = eventStream(texts, open).body?.getReader();
    await reader?.read();
    expect(open.size).toBe(1);
    const last = reader?.read();
    await (failure ? expect(last).rejects.toBe(failure) : expect(last).resolves.toMatchObject({ done: true }));
    expect(open.size).toBe(0);
  });
});

describe('streams of the dashboard', () => {
  it('free their listeners when their readers leave', async () => {
    const farewell = new AbortController();
    const onError = (thrown: unknown) => {
      throw thrown;
    };
    const streams = createRecordStream({ store: memoryStore(), farewell: farewell.signal, onError });
    for (let reader = 0; reader < 20; reader++) {
      const leave = new AbortController();
      const texts = streams.stream('none', 1, 0, leave.signal);
      await texts.next();
      expect(getEventListeners(farewell.signal, 'abort')).toHaveLength(1);
      leave.abort();
      await texts.return(undefined);
    }
    expect(getEventListeners(farewell.signal, 'abort')).toEqual([]);
  });
});

describe('refused()', () => {
  it('does not report a missing or invalid definition as a server error', () => {
    for (const code of ['FILE_UNREADABLE', 'DEFINITION_INVALID', 'PIPELINE_INVALID', 'JOURNAL_DIVERGED'] as const) {
      expect(refused(new PhasegateError(code, 'Cannot go on')).status).toBe(409);
    }
  });
});
