/**
 * The profile of Codex: `codex exec --json`.
 *
 * @module
 */
import { codexReader } from './codex-reader.ts';
import type { JsonlProfile, ProfileTurn } from './profile.ts';

/**
 * Codex. Its sandbox holds all commands: they write into the directory only, or nowhere in a `read` turn, and reach no network. Files
 * outside are for an agent that may use the network as well, as only its mode without a sandbox has either.
 */
export const codex: JsonlProfile = {
  name: 'codex',
  provider: 'openai',
  program: 'codex',
  reports: { tokens: true, cost: false },
  access: ['write', 'read'],
  // The provider refuses schemas that are not strict.
  schemaBy: ({ strict }) => (strict ? 'file' : undefined),
  args: (turn) => [
    'exec',
    '--json',
    ...sandboxArgs(turn),
    '--config',
    'approval_policy="never"',
    ...(turn.model === undefined ? [] : ['--model', turn.model]),
    ...(turn.schemaFile === undefined ? [] : ['--output-schema', turn.schemaFile]),
    // Reads the prompt from standard input. Arguments of the user come before it.
    ...turn.more,
    '-',
  ],
  reader: codexReader,
};

// --- internal ---

function sandboxArgs({ access, permissions: { network, outside } }: ProfileTurn): readonly string[] {
  const isOnline = network === 'allow';
  const search = isOnline ? [] : ['--config', 'web_search="disabled"'];
  // A turn that changes nothing needs no repository to go back to.
  if (access === 'read') return ['--sandbox', 'read-only', '--skip-git-repo-check', ...search];
  if (isOnline && outside === 'allow') return ['--sandbox', 'danger-full-access'];
  return ['--sandbox', 'workspace-write', '--config', `sandbox_workspace_write.network_access=${isOnline}`, ...search];
}
