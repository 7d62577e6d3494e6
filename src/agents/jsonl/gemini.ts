/**
 * The profile of Gemini CLI: `gemini --output-format stream-json`.
 *
 * @module
 */
import { geminiReader } from './gemini-reader.ts';
import type { AgentEnding, JsonlProfile, ProfileTurn } from './profile.ts';

/**
 * Gemini CLI. Without a terminal it denies what would need an answer, so a `read` turn is its default mode. Its mode `plan` would leave
 * itself and begin to write. No flag forbids the web search, so `network` rules the fetching of pages only.
 */
export const gemini: JsonlProfile = {
  name: 'gemini',
  provider: 'gcp.gemini',
  program: 'gemini',
  reports: { tokens: true, cost: false },
  access: ['write', 'read'],
  args: (turn) => [
    '--output-format',
    'stream-json',
    ...accessArgs(turn),
    ...(turn.model === undefined ? [] : ['--model', turn.model]),
    ...turn.more,
  ],
  reader: geminiReader,
  exits: {
    41: refused('it is not logged in', 'Log in with the program, or set its key.'),
    42: refused('it refuses its arguments or the prompt', 'Run the program by hand with the same arguments.'),
    44: refused('its sandbox cannot be started', 'Run the program by hand with the same arguments.'),
    52: refused('its settings are invalid', 'Repair the settings of the program.'),
    53: { stop: 'limit', text: 'the limit of turns in its settings' },
    55: refused(
      'it does not trust the directory',
      "Trust a directory above it in the program, or give `args: ['--skip-trust']`, with which settings of the directory apply.",
    ),
  },
};

// --- internal ---

function refused(text: string, hint: string): AgentEnding {
  return { stop: 'failed', text, advice: { retryable: false, hint } };
}

function accessArgs({ access, permissions: { commands, network, outside } }: ProfileTurn): readonly string[] {
  const isWrite = access === 'write';
  if (isWrite && [commands, network, outside].every((one) => one === 'allow')) return ['--approval-mode', 'yolo'];
  const tools = [...(commands === 'allow' ? ['run_shell_command'] : []), ...(network === 'allow' ? ['web_fetch'] : [])];
  return [
    '--approval-mode',
    isWrite ? 'auto_edit' : 'default',
    ...(tools.length > 0 ? ['--allowed-tools', tools.join(',')] : []),
    ...(outside === 'allow' ? ['--include-directories', '/'] : []),
  ];
}
