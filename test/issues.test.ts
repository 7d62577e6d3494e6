import { describe, expect, it } from 'vitest';
import { requestChanges, type Issue } from '../src/index.ts';
import { fake, play, trace } from './rig.ts';

const login: Issue = {
  id: 'no-login',
  category: 'security',
  severity: 'critical',
  description: 'Nobody has to log in.',
  evidence: 'POST /users takes no token.',
  impact: 'Anybody can delete users.',
  affectedPhase: 'planning',
  requiredChange: 'Add a unit for authentication.',
};

const index: Issue = { id: 'no-index', severity: 'low', description: 'No index on names.', affectedPhase: 'design' };

function line(...verdicts: readonly unknown[]) {
  return [
    fake('planning', { verdicts: [] }),
    fake('design', { after: ['planning'], verdicts: [] }),
    fake('coding', { after: ['design'], rewindTo: 'ancestors', verdicts }),
  ];
}

describe('issues', () => {
  it('send back the earliest affected phase in one rewind, and reach the others when they run again', async () => {
    //  planning ──▶ design ──▶ coding
    //     ▲───────────┴───────────┘ no login; no index
    const phases = line(requestChanges([index, login], 'Not safe.'), 'APPROVE');
    const { lines, records } = await play(phases);

    expect(lines).toEqual([
      'planning started 0',
      'planning approved v1',
      'design started 0',
      'design approved v1 from planning@1',
      'coding started 0',
      expect.stringMatching(
        /^coding rewinding planning: Not safe\. \| - \[critical, security\] Nobody has to log in\./u,
      ),
      'design invalidated by planning g1',
      expect.stringMatching(/^planning started 1 g1: Not safe/u),
      'planning approved v2',
      'design started 1 g1: - [low] No index on names.',
      'design approved v2 from planning@2',
      'coding started 0',
      'coding approved v1 from design@2',
      'run completed',
    ]);
    const rewinding = records.map((one) => one.event).find((event) => event.type === 'phase.rewinding');
    expect(rewinding).toMatchObject({
      target: 'planning',
      correction: { requiredChange: 'Add a unit for authentication.', issues: [login] },
      riders: [{ phase: 'design', correction: { from: 'coding', issues: [index] } }],
    });
    expect(phases[1]?.calls[1]?.revision).toMatchObject({ issues: [index], previousOutput: 'design 1' });
  });

  it('without a phase belong to the phase under review', async () => {
    const phases = line(requestChanges([{ severity: 'high', description: 'No tests.' }]), 'APPROVE');
    expect(await trace(phases)).toContain('coding retrying: - [high] No tests.');
  });

  it('of equal words count once for each task that they name', async () => {
    const untested: Issue = { severity: 'high', description: 'No tests.' };
    const ofTasks: readonly Issue[] = [
      untested,
      { ...untested, affectedTask: 'api' },
      { ...untested, affectedTask: 'ui' },
    ];
    const phases = line(requestChanges([...ofTasks, ...ofTasks]), 'APPROVE');
    const { lines } = await play(phases);
    expect(lines).toContain(
      'coding retrying: - [high] No tests. | - [high] No tests. |   Task: api | - [high] No tests. |   Task: ui',
    );
    expect(phases[2]?.calls[1]?.revision).toMatchObject({ issues: ofTasks });
  });

  it('of the phase under review reach it when it starts again after a rewind', async () => {
    const own: Issue = { severity: 'medium', description: 'Names are unclear.', requiredChange: 'Rename them.' };
    const phases = line(requestChanges([login, own]), 'APPROVE');
    const { lines } = await play(phases);
    expect(lines).toContain('coding started 1: - [medium] Names are unclear. |   Required change: Rename them.');
    expect(phases[2]?.calls[1]?.revision).toMatchObject({ attempt: 1, previousOutput: 'coding 1' });
  });
});
