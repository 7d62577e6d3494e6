/**
 * Command lines of the profiles, and the meaning of their exit codes and failures.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { jsonlAgent, type AgentAccess, type PermissionPolicy, type ProfileName } from '../../src/agents.ts';
import { adviseOn } from '../../src/agents/failure-words.ts';
import { CLAUDE, CODEX, GEMINI } from './lines.ts';
import { scripted } from './rig.ts';
import type { Step } from './script.ts';

const LINES = { claude: CLAUDE, codex: CODEX, gemini: GEMINI };
const ALL: PermissionPolicy = { commands: 'allow', network: 'allow', outside: 'allow' };

/** Arguments of every turn: before those of its access, and after them. */
const SHARED: Readonly<Record<ProfileName, readonly [string, string]>> = {
  claude: ['-p --output-format stream-json --verbose', '--model m1 --own x'],
  codex: ['exec --json', '--config approval_policy="never" --model m1 --own x -'],
  gemini: ['--output-format stream-json', '--model m1 --own x'],
};

describe('command lines', () => {
  it.each([
    ['claude', 'write', {}, '--permission-mode acceptEdits'],
    ['claude', 'write', ALL, '--permission-mode acceptEdits --allowedTools Bash,WebFetch,WebSearch --add-dir /'],
    [
      'claude',
      'read',
      {},
      '--tools Read,Grep,Glob --disallowedTools Edit,Write,NotebookEdit --strict-mcp-config --setting-sources user --permission-mode default',
    ],
    [
      'claude',
      'read',
      { commands: 'allow' },
      '--tools Read,Grep,Glob,Bash --disallowedTools Edit,Write,NotebookEdit --strict-mcp-config --setting-sources user --permission-mode default --allowedTools Bash',
    ],
    [
      'codex',
      'write',
      {},
      '--sandbox workspace-write --config sandbox_workspace_write.network_access=false --config web_search="disabled"',
    ],
    [
      'codex',
      'write',
      { network: 'allow' },
      '--sandbox workspace-write --config sandbox_workspace_write.network_access=true',
    ],
    [
      'codex',
      'write',
      { outside: 'allow' },
      '--sandbox workspace-write --config sandbox_workspace_write.network_access=false --config web_search="disabled"',
    ],
    ['codex', 'write', ALL, '--sandbox danger-full-access'],
    ['codex', 'read', ALL, '--sandbox read-only --skip-git-repo-check'],
    ['gemini', 'write', {}, '--approval-mode auto_edit'],
    ['gemini', 'write', { commands: 'allow' }, '--approval-mode auto_edit --allowed-tools run_shell_command'],
    ['gemini', 'write', ALL, '--approval-mode yolo'],
    [
      'gemini',
      'read',
      ALL,
      '--approval-mode default --allowed-tools run_shell_command,web_fetch --include-directories /',
    ],
  ] satisfies readonly (readonly [ProfileName, AgentAccess, PermissionPolicy, string])[])(
    '%s, %s, %o',
    async (profile, access, permissions, own) => {
      const { program, cwd, asked } = scripted(steps(profile));
      const agent = jsonlAgent(profile, { program, model: 'm1', args: ['--own', 'x'] });
      await agent.run({ prompt: 'Do it.', cwd, signal: new AbortController().signal, access, permissions });
      const [before, after] = SHARED[profile];
      expect(asked()[0]?.args.join(' ')).toBe(`${before} ${own} ${after}`);
    },
  );
});

it.each([
  [41, /as it failed: it is not logged in/u, true],
  [42, /as it failed: it refuses its arguments or the prompt/u, true],
  [55, /as it failed: it does not trust the directory/u, true],
  [1, /as it ended with exit code 1/u, undefined],
])('exit code %i of gemini', async (code, message, permanent) => {
  const { program, cwd } = scripted([{ type: 'exit', code }]);
  const turn = { prompt: '', cwd, signal: new AbortController().signal, access: 'write', permissions: {} } as const;
  await expect(jsonlAgent('gemini', { program }).run(turn)).rejects.toMatchObject({
    code: 'AGENT_FAILED',
    message: expect.stringMatching(message) as string,
    permanent: permanent ?? false,
  });
});

it('exit code 53 of gemini is a limit', async () => {
  const { program, cwd } = scripted([{ type: 'exit', code: 53 }]);
  const turn = { prompt: '', cwd, signal: new AbortController().signal, access: 'write', permissions: {} } as const;
  expect(await jsonlAgent('gemini', { program }).run(turn)).toMatchObject({ stop: 'limit' });
});

it('a program that does not end after its result is ended, and the result counts', async () => {
  const { program, cwd } = scripted([...steps('claude'), { type: 'hang' }]);
  const groups: number[] = [];
  const result = await jsonlAgent('claude', { program, silence: 60_000 }).run({
    prompt: '',
    cwd,
    signal: new AbortController().signal,
    access: 'write',
    permissions: {},
    onProcess: (pid) => void groups.push(pid),
  });
  expect(result).toMatchObject({ stop: 'done', text: 'Hello.', session: 's1', usage: { costUsd: 0.25 } });
  expect(groups).toHaveLength(1);
});

describe('adviseOn()', () => {
  it.each([
    ['Please try again in 11.054s', 11_054],
    ['Please retry in 250 ms.', 250],
    ['try again in 3 hours 12 minutes.', 11_520_000],
    ['Try again in 1 day, 2 hours and 3 minutes', 93_780_000],
    ['retry after: 5 minutes', 300_000],
    ['try again in 5 bananas', undefined],
    ['try again in 99999999999999 s', undefined],
    ['rate limit', undefined],
    ['usage limit reached|1000000000', undefined],
  ])('reads the delay of %o', (message, expected) => {
    expect(adviseOn(message)).toMatchObject({ retryable: true, retryAfterMs: expected });
  });

  it.each([
    ['Invalid API key · Please run /login'],
    ['unexpected status 401 Unauthorized'],
    ['Your credit balance is too low to access the API'],
    ['429: {"code":"insufficient_quota"}'],
    ['Not logged in'],
  ])('takes %o for permanent', (message) => {
    expect(adviseOn(message).retryable).toBe(false);
  });

  it.each([
    [401, false],
    [403, false],
    [402, false],
    [429, true],
    [529, true],
    [500, true],
  ])('takes status %i for retryable: %s', (status, retryable) => {
    expect(adviseOn('it says nothing', status).retryable).toBe(retryable);
  });
});

// --- internal ---

function steps(profile: ProfileName): readonly Step[] {
  return LINES[profile].done('Hello.').map((line) => ({ type: 'json', line }));
}
