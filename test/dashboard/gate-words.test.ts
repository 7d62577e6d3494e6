import { expect, it } from 'vitest';
import { gateText } from '../../visualizations/dashboard/src/run/phase/gate-words.ts';

const GATE = { maxRetries: 1, maxPredecessorRetries: 2, targets: ['plan'], onExhausted: 'reject' } as const;

it.each([
  [{}, 'sends the phase back at most once; may send back plan at most 2 times; then it is rejected'],
  [{ maxPredecessorRetries: 0 }, 'sends the phase back at most once; then it is rejected'],
  [
    { maxRetries: 0, targets: ['plan', 'draft'], onExhausted: 'escalate' },
    'never sends the phase back; may send back plan, draft at most 2 times each; then a person decides',
  ],
  [
    { maxRetries: 'unlimited', targets: [], onExhausted: 'accept' },
    'sends the phase back any number of times; then the attempt is accepted',
  ],
  [
    { maxPredecessorRetries: 'unlimited', targets: ['a', 'b', 'c', 'd', 'e'], onExhausted: 'acceptBest' },
    'sends the phase back at most once; may send back 5 earlier phases any number of times each; then the best attempt is accepted',
  ],
] as const)('gateText(%o)', (given, words) => {
  expect(gateText({ ...GATE, ...given })).toBe(words);
});
