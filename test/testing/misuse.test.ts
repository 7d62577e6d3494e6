/** Scripts and options that types refuse, as programs without types give them. */
import { describe, expect, it } from 'vitest';
import { approve, definePipeline, phase, task } from '../../src/index.ts';
import {
  coverageOf,
  crashAfter,
  crashBefore,
  expectBounds,
  pipelineProperty,
  rehearse,
  rehearseAll,
} from '../../src/testing.ts';

const pipeline = definePipeline({
  name: 'p',
  phases: [phase('a', { tasks: [task('t', { run: () => 'x' })], review: () => approve() })],
});
const whole = { tasks: { '*': 'x' }, reviews: { '*': approve() } };

/** Passes any value as what a function takes. */
const untyped = (value: unknown): never => value as never;

describe('a script of the wrong shape', () => {
  it.each([
    [null, 'the script is no object'],
    ['x', 'the script is no object'],
    [{ ...whole, tasks: 'x' }, 'tasks: expected an object with steps by name'],
    [{ ...whole, tasks: ['x'] }, 'tasks: expected an object with steps by name'],
    [{ ...whole, crashes: crashAfter(2) }, 'crashes: expected a list of crashAfter() and crashBefore()'],
    [{ ...whole, crashes: ['task.completed'] }, 'crashes: expected a list of crashAfter() and crashBefore()'],
    [{ ...whole, realTimeMs: '10s' }, 'realTimeMs: expected a number of milliseconds'],
    [{ ...whole, task: {} }, '"task" is no part of a script; did you mean "tasks"?'],
  ])('is refused: %j', async (script, words) => {
    const refused = rehearse(pipeline, untyped(script));
    await expect(refused).rejects.toMatchObject({ code: 'SCRIPT_INVALID' });
    await expect(refused).rejects.toThrow(words);
  });
});

describe('options of the wrong shape', () => {
  it('are refused by name, as a property without its invariant would hold', async () => {
    const misspelt = pipelineProperty(pipeline, untyped({ invariants: () => false }));
    await expect(misspelt).rejects.toThrow('"invariants" is no option; did you mean "invariant"?');
    await expect(rehearseAll(pipeline, untyped({ reviews: {} }))).rejects.toMatchObject({ code: 'SCRIPT_INVALID' });
    await expect(rehearseAll(pipeline, untyped(null))).rejects.toThrow('the options are no object');
    await expect(expectBounds(pipeline, untyped({ task: {} }))).rejects.toThrow('did you mean "tasks"?');
    await expect(expectBounds(untyped(undefined))).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
    await expect(rehearseAll(untyped(undefined))).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
  });

  it.each([0, -1, 1.5, Number.NaN])('are refused out of range: %d', async (count) => {
    await expect(expectBounds(pipeline, { tries: count })).rejects.toThrow(RangeError);
    await expect(pipelineProperty(pipeline, { runs: count })).rejects.toThrow(RangeError);
    expect(() => crashAfter(count)).toThrow(RangeError);
    expect(() => crashBefore('task.completed', count)).toThrow(RangeError);
  });

  it('are refused if they repeat nothing, or check nothing', async () => {
    await expect(pipelineProperty(pipeline, { path: '0:1' })).rejects.toThrow('pass the seed, too');
    await expect(pipelineProperty(pipeline, untyped({ invariant: true }))).rejects.toThrow('is no function');
  });
});

describe('coverageOf()', () => {
  it('takes rehearsals as well as their records, and refuses a flat list', async () => {
    const run = await rehearse(pipeline, whole);
    expect(coverageOf(pipeline, [run])).toEqual(coverageOf(pipeline, [run.records]));
    expect(() => coverageOf(pipeline, untyped(run.records))).toThrow('pass a list of records for each run');
  });
});
