/**
 * The profile of Claude Code: `claude -p --output-format stream-json --verbose`.
 *
 * @module
 */
import { claudeReader } from './claude-reader.ts';
import type { JsonlProfile, ProfileTurn } from './profile.ts';

/**
 * Claude Code. In a `read` turn it has only tools that read, no servers of tools, and no settings of the project, as those may be part
 * of the work under review. In a `write` turn it edits without asking, and is denied what would need an answer.
 */
export const claude: JsonlProfile = {
  name: 'claude',
  provider: 'anthropic',
  program: 'claude',
  reports: { tokens: true, cost: true },
  access: ['write', 'read'],
  // Systems refuse longer arguments (128 KiB on Linux).
  schemaBy: ({ schema }) => (JSON.stringify(schema).length < 100_000 ? 'argument' : undefined),
  args: (turn) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    ...accessArgs(turn),
    ...(turn.model === undefined ? [] : ['--model', turn.model]),
    ...(turn.schema === undefined ? [] : ['--json-schema', turn.schema]),
    ...turn.more,
  ],
  reader: claudeReader,
};

// --- internal ---

function accessArgs({ access, permissions }: ProfileTurn): readonly string[] {
  const { commands, network, outside } = permissions;
  const more = [...(commands === 'allow' ? ['Bash'] : []), ...(network === 'allow' ? ['WebFetch', 'WebSearch'] : [])];
  const allowed = more.length > 0 ? ['--allowedTools', more.join(',')] : [];
  const beyond = outside === 'allow' ? ['--add-dir', '/'] : [];
  if (access === 'write') return ['--permission-mode', 'acceptEdits', ...allowed, ...beyond];
  const tools = ['Read', 'Grep', 'Glob', ...more].join(',');
  const only = ['--tools', tools, '--disallowedTools', 'Edit,Write,NotebookEdit'];
  return [
    ...only,
    '--strict-mcp-config',
    '--setting-sources',
    'user',
    '--permission-mode',
    'default',
    ...allowed,
    ...beyond,
  ];
}
