/** An issue is assigned to another phase, from another process. */
import { describe, expect, it } from 'vitest';
import type { InboxItem, ItemDetail } from '../../src/inbox.ts';
import { files, main, phasegate } from './cli.ts';

/** The URL of the built library, for files in another folder. */
const LIBRARY = main.replace('cli/main.js', 'index.js');

const PIPELINE = `
import { definePipeline, phase, requestChanges, task } from ${JSON.stringify(LIBRARY)};
const issues = [
  { id: 'a=b', severity: 'high', category: 'facts', description: 'Nothing is cited.\\x1b[31m', requiredChange: 'Cite two sources.' },
  { id: 'typo', severity: 'low', description: 'A word is missing.' },
];
export default definePipeline({ name: 'letter', phases: [
  phase('notes', { tasks: [task('n', { run: ({ revision }) => revision?.requiredChange ?? 'notes' })] }),
  phase('draft', { after: ['notes'],
    tasks: [task('text', { run: ({ inputs, revision }) => inputs.notes.n + '|' + (revision?.feedback ?? '') })],
    review: { maxRetries: 0, onExhausted: 'escalate', by: ({ outputs, findings }) =>
      outputs.text.startsWith('Cite') ? 'APPROVE' : requestChanges(issues, 'Not yet.') } }),
] });
`;

describe('phasegate inbox answer --reclassify', () => {
  it('shows open issues by phase, and sends back the named one with the others unchanged', async () => {
    const { cwd, item } = await waiting();
    const { stdout } = await phasegate(['inbox', 'show', item.id], { cwd });
    expect(stdout).toContain(
      'open issues:\n  of draft\n    a=b [high, facts] Nothing is cited.\n    typo [low] A word is missing.\n',
    );
    expect(stdout).toMatch(/^--reclassify <issue=phase> +an open issue is reassigned to the phase that you name/mu);

    const answered = await phasegate(['inbox', 'answer', item.id, '--reclassify', 'a=b=notes'], { cwd });
    expect(answered).toMatchObject({ code: 0, stderr: '' });
    const { stdout: events } = await phasegate(['resume', 'r', 'p.mjs', '--json'], { cwd });
    const rewinding = lines(events).find(({ event }) => event.type === 'phase.rewinding')?.event;
    expect(rewinding).toMatchObject({
      target: 'notes',
      by: 'person',
      correction: { requiredChange: 'Cite two sources.', issues: [{ id: 'a=b', affectedPhase: 'notes' }] },
      riders: [{ phase: 'draft', correction: { issues: [{ id: 'typo' }] } }],
    });
    expect(events).toContain('"Cite two sources.|- [low] A word is missing."');
    expect(events).toContain('"status":"completed"');
  });

  it.each([
    ['nothing=notes', /Open issues: "a=b", "typo"\. Phases: "notes", "draft"/u],
    ['typo=nowhere', /Write issue=phase/u],
    ['typo=', /Write issue=phase/u],
  ])('refuses %s and lists the choices', async (words, hint) => {
    const { cwd, item } = await waiting();
    const { code, stderr } = await phasegate(['inbox', 'answer', item.id, '--reclassify', words], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(hint);
    const { stdout } = await phasegate(['inbox', 'show', item.id, '--json'], { cwd });
    expect((JSON.parse(stdout) as ItemDetail).item.closedAt).toBeUndefined();
  });
});

async function waiting(): Promise<{ readonly cwd: string; readonly item: InboxItem }> {
  const cwd = await files({ 'p.mjs': PIPELINE });
  await phasegate(['run', 'p.mjs', '--run-id', 'r'], { cwd });
  const { stdout } = await phasegate(['inbox', '--json'], { cwd });
  return { cwd, item: JSON.parse(stdout) as InboxItem };
}

function lines(text: string): readonly { readonly event: { readonly type: string } }[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly event: { readonly type: string } });
}
