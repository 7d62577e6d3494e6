/**
 * A run in which phases meet every event that a phase can meet.
 *
 * @module
 */
import type { RunRecord } from '../../src/records.ts';
import { fake, play, untilAborted } from '../rig.ts';

/**
 * Plays the run. @returns Its records.
 *
 * ```text
 *   a ──▶ b ──▶ c          a is sent back by its own gate, then by b; c waits for a person
 *   d ──▶ g                d is rejected, so g is skipped
 *   e                      e fails at its second try
 *   f                      f never ends and is cancelled with the run, once c is approved
 * ```
 */
export async function eventfulRun(): Promise<readonly RunRecord[]> {
  const phases = [
    fake('a', { outputs: ['one', 'two', 'three'], verdicts: ['RETRY: more', 'APPROVE'] }),
    fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: other numbers', 'APPROVE'] }),
    fake('c', { after: ['b'], verdicts: ['ESCALATE: is it good?'] }),
    fake('d', { verdicts: ['REJECT: not needed'] }),
    fake('g', { after: ['d'] }),
    fake('e', { outputs: [new Error('broken')] }),
    fake('f', { outputs: [untilAborted] }),
  ];
  const { records } = await play(phases, {
    when: {
      'c escalated (requested): is it good?': (run) => run.decide('c', 'APPROVE'),
      'c approved v1 from b@1': (run) => run.cancel('enough'),
    },
  });
  return records;
}
