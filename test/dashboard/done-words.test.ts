import { describe, expect, it } from 'vitest';
import type { UiStanding } from '../../src/server/api.ts';
import { doneText } from '../../visualizations/dashboard/src/runs/done-words.ts';

describe('doneText()', () => {
  const before = { standing: 'suspended', status: 'running', seq: 7 } as const;
  const at = (standing: Exclude<UiStanding, 'damaged'>, seq = 9) =>
    ({
      standing,
      status: standing === 'waiting' || standing === 'suspended' || standing === 'queued' ? 'running' : standing,
      seq,
    }) as const;

  it.each([
    ['resume', at('running'), 'Resumed.'],
    ['resume', at('waiting'), 'Resumed. It waits for a person already.'],
    ['resume', at('queued', 7), 'Resumed. Nothing has happened since.'],
    ['resume', at('suspended'), 'Resumed. It was suspended again.'],
    ['resume', at('suspended', 7), 'Resumed. Nothing has happened since.'],
    ['resume', at('completed'), 'Resumed. It has completed.'],
    ['retry', at('running'), 'Retried.'],
    ['retry', at('failed'), 'Retried. It has failed.'],
    ['cancel', at('cancelled'), 'Cancelled.'],
    ['cancel', at('running'), 'The process that works on it was asked to stop, and has not stopped yet.'],
    ['cancel', at('completed'), 'Not cancelled: it has completed before.'],
  ] as const)('tells of %s that led to %j', (action, now, text) => {
    expect(doneText(action, before, now)).toBe(text);
  });
});
