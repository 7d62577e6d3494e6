/** A reviewing model assigns issues to phases, and reports the status of earlier ones. */
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, policies, startRun, task } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { openaiReviewer } from '../../src/openai.ts';
import { hurriedClock, serve } from './rig.ts';
import { verdict, type Entry, type Server } from './server.ts';

const login = {
  category: 'security',
  severity: 'critical',
  description: 'Nobody has to log in.',
  evidence: 'POST /users takes no token.',
  impact: null,
  affected_phase: 'plan',
  required_change: 'Add a unit for authentication.',
};
const pages = { ...login, severity: 'low', description: 'Lists are not paged.', affected_phase: null };

describe('issues of a reviewing model', () => {
  it('send back their phase, and are shown to it until the model reports them as fixed', async () => {
    const { server, records } = await review(
      verdict({
        verdict: 'needs_changes',
        required_change: 'Demand a login.',
        critique: 'Unsafe.',
        issues: [login, pages],
      }),
      verdict({
        verdict: 'needs_changes',
        required_change: 'Page the lists.',
        issues: [],
        prior_findings: [
          { finding: 1, status: 'fixed' },
          { finding: 2, status: 'open' },
        ],
      }),
      verdict({ prior_findings: [{ finding: 1, status: 'fixed' }] }),
    );
    expect(linesOf(records)).toEqual([
      'plan 0: ',
      'design 0: ',
      'design rewinding plan',
      'plan 1: Demand a login. Add a unit for authentication.',
      'design 1: Add a unit for authentication.',
      'design retrying',
      'design 2: Page the lists. Add a unit for authentication.',
      'completed',
    ]);
    expect(server.asked[0]?.system).toContain('one of "plan", "design"');
    expect(shownTo(server, 0)).toBeUndefined();
    expect(shownTo(server, 1)).toEqual([
      { finding: 1, issue: expect.stringContaining('[critical, security] Nobody has to log in.') as unknown },
      { finding: 2, issue: expect.stringContaining('[low, security] Lists are not paged.') as unknown },
    ]);
    expect(shownTo(server, 2)).toEqual([{ finding: 1, issue: expect.stringContaining('not paged') as unknown }]);
  });

  it('of a phase that cannot be sent back are no verdict: the model is asked again', async () => {
    const { records, server } = await review(
      verdict({ verdict: 'needs_changes', required_change: 'x', issues: [{ ...login, affected_phase: 'planning' }] }),
      verdict({}),
    );
    expect(linesOf(records)).toEqual(['plan 0: ', 'design 0: ', 'completed']);
    expect(server.asked).toHaveLength(2);
  });

  it('that stay open form a loop, which ends the budget', async () => {
    const again = verdict({ verdict: 'needs_changes', required_change: 'Demand a login.', issues: [pages] });
    const { records } = await review(again, again, again, again);
    expect(linesOf(records).slice(-3)).toEqual([
      'design 1: Demand a login. Add a unit for authentication.',
      'loop',
      'escalated loop',
    ]);
  });
});

describe('a reviewing model of an attempt with an unchanged output', () => {
  it('is told so, with the number of attempts', async () => {
    const demand = (required_change: string) => verdict({ verdict: 'needs_changes', required_change });
    const { server, records } = await review(demand('Page the lists.'), demand('Add a login.'), verdict({}));
    expect(linesOf(records).at(-1)).toBe('completed');
    const same = 'Its outputs are the same as those of the attempt that was sent back';
    expect(server.asked.map(({ user }) => user.includes(same))).toEqual([false, true, true]);
    expect(server.asked.map(({ user }) => user.includes('the 2 latest attempts'))).toEqual([false, false, true]);
  });
});

async function review(...entries: readonly Entry[]): Promise<{ server: Server; records: readonly RunRecord[] }> {
  const server = await serve(...entries);
  const by = openaiReviewer('architect', { model: 'm', apiKey: 'k', baseURL: server.url, criteria: 'It is safe.' });
  const plan = phase('plan', { tasks: [task('units', { run: () => ['users'] })] });
  const design = phase('design', { after: [plan], tasks: [task('api', { run: () => '/users' })], review: by });
  const pipeline = definePipeline({ name: 'users', phases: [plan, design], policy: policies.strict });
  const run = startRun(pipeline, { clock: hurriedClock() });
  const records: RunRecord[] = [];
  run.events$.subscribe((record) => {
    records.push(record);
    if (record.event.type === 'phase.escalated') queueMicrotask(() => run.cancel());
  });
  await run.result;
  return { server, records };
}

function shownTo({ asked }: Server, nth: number): unknown {
  const [, json = '{}'] = /BEGIN \S+\n([^]*)\nEND /u.exec(asked[nth]?.user ?? '') ?? [];
  return (JSON.parse(json) as { readonly earlier_findings?: unknown }).earlier_findings;
}

function linesOf(records: readonly RunRecord[]): readonly string[] {
  return records.flatMap(({ event }) => {
    if (event.type === 'phase.started')
      return `${event.phase} ${event.attempt}: ${event.revision?.requiredChange ?? ''}`;
    if (event.type === 'phase.rewinding') return `${event.phase} rewinding ${event.target}`;
    if (event.type === 'phase.retrying') return `${event.phase} retrying`;
    if (event.type === 'loop.detected') return 'loop';
    if (event.type === 'phase.escalated') return `escalated ${event.because}`;
    return event.type === 'run.ended' && event.status === 'completed' ? 'completed' : [];
  });
}
