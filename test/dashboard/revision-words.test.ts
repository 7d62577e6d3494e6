import { expect, it } from 'vitest';
import { revisionWords } from '../../visualizations/dashboard/src/run/phase/revision-words.ts';

const prompt = { hash: 'h', chars: 9 };
const work = { name: 'api', output: { value: { commit: 'c' } }, prompt: undefined, hasReadRevision: true };
const before = { task: { output: { value: { commit: 'c' } } }, name: 'Attempt 1' };

it.each([
  ['a task that has read it', { task: work, isLevel: false }, 'has read what to change'],
  ['one that has not', { task: { ...work, hasReadRevision: false }, isLevel: false }, 'has not read what to change'],
  ['one at work', { task: { ...work, output: undefined } }, ''],
  ['a subtask that no agent has worked on', { task: work }, 'has kept its work of Attempt 1'],
  ['a subtask whose agent made the same', { task: { ...work, prompt } }, 'has read what to change'],
  ['a subtask with other work', { task: { ...work, output: { value: 'd' }, prompt } }, 'has read what to change'],
  ['a subtask without an earlier attempt', { task: work, before: undefined }, 'has read what to change'],
  ['the base of a level', { task: { ...work, name: 'base' } }, ''],
  ['its merge', { task: { ...work, name: 'integrate' } }, ''],
] as const)('revisionWords() of %s', (_, given, words) => {
  expect(revisionWords({ before, isLevel: true, ...given })).toBe(words);
});
