/**
 * Shells that complete a command line as a user types it.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { main } from './cli.ts';
import { programOnTerminal, python } from './pty.ts';

/** A shell with a completion script. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** Returns the reason that a shell is unavailable here; undefined if it is available. */
export function missing(shell: Shell): string | undefined {
  if (spawnSync(shell, ['--version']).status !== 0) return `${shell} is not installed`;
  return shell !== 'fish' && !python ? 'python3 is not installed, which makes the terminal' : undefined;
}

/**
 * Lets a shell complete lines with all candidates.
 *
 * @param folder The working folder, which also receives the files of the shell.
 * @returns For each line its words after completion; for fish, the candidates.
 */
export async function completed(
  shell: Shell,
  folder: string,
  lines: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const env = await homeIn(folder);
  return shell === 'fish' ? byFish(folder, env, lines) : byLine(shell, folder, env, lines);
}

/** Lets a shell complete a line, and then deletes the line. */
export async function completedOnly(shell: Shell, folder: string, line: string): Promise<void> {
  const env = await homeIn(folder);
  if (shell === 'fish') byFish(folder, env, [line]);
  else await onPrompts(shell, folder, env, [`${line}${ALL}${KILL}\n`]);
}

// --- internal ---

/** Creates a home without configuration, and a `phasegate` on the path. */
async function homeIn(folder: string): Promise<NodeJS.ProcessEnv> {
  const home = join(folder, '.home');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'phasegate'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await chmod(join(home, 'phasegate'), 0o755);
  await writeFile(join(home, '.bashrc'), BASHRC);
  await writeFile(join(home, '.zshrc'), ZSHRC);
  return {
    PATH: [home, process.env['PATH']].join(delimiter),
    HOME: home,
    ZDOTDIR: home,
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    PHASEGATE_STORE: undefined,
  };
}

/** Bash configuration. Prompts are numbered, as the shell loses text that is typed before a prompt. */
const BASHRC = `
source <(phasegate completion bash)
bind 'set enable-bracketed-paste off'
PROMPT_COMMAND='N=$((N + 1)); PS1="ready$N> "'
`;

/** Zsh configuration. The keys that insert all candidates in bash do so here, too. */
const ZSHRC = `
autoload -Uz compinit && compinit -u -d "$ZDOTDIR/dump"
source <(phasegate completion zsh)
zstyle ':completion:all:*' completer _all_matches _complete
zstyle ':completion:all:*' insert true
zle -C all complete-word _generic
bindkey -e
bindkey '\\e*' all
unsetopt prompt_sp prompt_cr
precmd() { N=$((N + 1)); PS1="ready$N> " }
`;

const ALL = '\u001B*';
const TO_START = '\u0001';
const KILL = '\u0015';

/** Completes each line, and replaces its command by a `printf` of its words, so that nothing else runs. */
async function byLine(
  shell: 'bash' | 'zsh',
  folder: string,
  env: NodeJS.ProcessEnv,
  lines: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const typed = lines.map((line, index) => `${line}${ALL}${TO_START}printf '<%s>\\n' ${index} \n`);
  const text = await onPrompts(shell, folder, env, typed);
  return lines.map((_, index) => {
    const [, printed = ''] = new RegExp(`^<${index}>\r?\n((?:<.*>\r?\n)*)`, 'mu').exec(text) ?? [];
    return [...printed.matchAll(/^<(.*)>\r?$/gmu)].map(([, word = '']) => word);
  });
}

/** Types one line at each prompt, and ends the shell. @returns The text on its terminal. */
async function onPrompts(
  shell: 'bash' | 'zsh',
  cwd: string,
  env: NodeJS.ProcessEnv,
  lines: readonly string[],
): Promise<string> {
  const typed = [...lines, 'exit\n'].map((line, index) => [`ready${index + 1}> `, line] as const);
  const args = shell === 'bash' ? ['--noprofile', '--rcfile', join(env['HOME'] ?? '', '.bashrc'), '-i'] : ['-i'];
  const { text } = await programOnTerminal([shell, ...args], Object.fromEntries(typed), env, {
    size: { columns: 500, rows: 50 },
    cwd,
  });
  return text;
}

function byFish(cwd: string, env: NodeJS.ProcessEnv, lines: readonly string[]): readonly (readonly string[])[] {
  const asked = lines.map((line, index) => `echo '<${index}>'; complete -C '${line.replaceAll("'", String.raw`\'`)}'`);
  const script = ['phasegate completion fish | source', ...asked].join('\n');
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .split(/^<\d+>\n/mu)
    .slice(1)
    .map((block) => block.split('\n').flatMap((line) => line.split('\t')[0] || []));
}
