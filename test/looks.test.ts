import { readFileSync } from 'node:fs';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { statusMarks } from '../src/projections/wording/status-marks.ts';

describe('looks', () => {
  it('have marks of one column that no browser draws as an emoji', () => {
    const marks = Object.values(statusMarks).map(({ mark }) => mark);
    expect(marks.filter((mark) => stringWidth(mark) !== 1 || /\p{Emoji}/u.test(mark))).toEqual([]);
  });

  it('differ, unless a phase and a run have the same status, or work was not accepted', () => {
    const standings = new Map<string, string[]>();
    for (const [name, { mark }] of Object.entries(statusMarks))
      standings.set(mark, [...(standings.get(mark) ?? []), name]);
    expect([...standings.values()].filter((names) => names.length > 1)).toEqual([
      ['escalated', 'waiting'],
      ['approved', 'completed'],
      ['rejected', 'failed', 'damaged'],
    ]);
  });

  it.each(['docs/cli.md', 'docs/pictures.md'])('of phases match the list in %s', (file) => {
    const listed = readFileSync(file, 'utf8').match(/(?<=^\| `)[^\w\s](?=` )/gmu) ?? [];
    const {
      completed: _completed,
      exhausted: _exhausted,
      suspended: _suspended,
      queued: _queued,
      ...ofPhases
    } = statusMarks;
    expect(new Set(listed)).toEqual(new Set(Object.values(ofPhases).map(({ mark }) => mark)));
  });
});
