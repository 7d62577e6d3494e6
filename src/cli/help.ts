/**
 * The help of each command: its group, its examples and its page of the documentation.
 *
 * @module
 */
import type { Command } from 'commander';
import { nearest } from '../model/values/nearest.ts';
import { pageOf } from './terminal/doc-pages.ts';

/** Adds group, examples and page to the help of every command and of the program. Help on an unknown command becomes an error. */
export function addHelp(program: Command): void {
  for (const one of [program, ...program.commands]) one.on('beforeHelp', () => refuseUnknown(one));
  describe(program, 'phasegate');
  for (const command of program.commands) {
    describe(command, command.name());
    for (const part of command.commands) describe(part, `${command.name()} ${part.name()}`);
  }
}

// --- internal ---

/** Additions to the help of one command. */
interface More {
  /** The heading under which the program's help lists the command. */
  readonly group?: string;
  /** Commands as a user types them, without the name of the program. */
  readonly examples: readonly string[];
  /** A page of the documentation, with the anchor of a heading. */
  readonly page: string;
}

const WRITE = 'Write a pipeline:';
const RUN = 'Run a pipeline:';
const FLEET = 'Have agents work:';
const PEOPLE = 'Answer questions:';
const LOOK = 'Look at runs:';
const KEEP = 'Manage stored runs:';
const SHELL = 'Set up your shell:';

const MORE: ReadonlyMap<string, More> = new Map<string, More>([
  ['phasegate', { examples: ['init', 'run pipeline.ts'], page: 'cli.md' }],
  ['init', { group: WRITE, examples: ['init', 'init yaml', 'init yaml --agent'], page: 'cli.md#init' }],
  ['check', { group: WRITE, examples: ['check pipeline.ts'], page: 'cli.md#check' }],
  ['test', { group: WRITE, examples: ['test pipeline.ts', 'test pipeline.ts --write'], page: 'cli.md#test' }],
  [
    'graph',
    {
      group: WRITE,
      examples: ['graph pipeline.ts -o pipeline.svg', 'graph latest'],
      page: 'cli.md#graph',
    },
  ],
  [
    'run',
    {
      group: RUN,
      examples: ['run pipeline.ts', 'run pipeline.ts --max-cost 5 --max-attempts 20 --timeout 10m'],
      page: 'cli.md#run',
    },
  ],
  ['work', { group: RUN, examples: ['work pipeline.ts', 'work *.ts --concurrency 20'], page: 'cli.md#work' }],
  [
    'fleet',
    {
      group: FLEET,
      examples: ['fleet "Add a login page"', 'fleet --plan plan.json --agent claude --check "npm test"'],
      page: 'cli.md#fleet-plan',
    },
  ],
  [
    'plan',
    {
      group: FLEET,
      examples: ['plan "Add a login page" --agent codex', 'plan "Add a login page" -o plan.json'],
      page: 'cli.md#fleet-plan',
    },
  ],
  ['diff', { group: FLEET, examples: ['diff latest', 'diff latest 2b --stat'], page: 'cli.md#diff-apply' }],
  ['apply', { group: FLEET, examples: ['apply latest'], page: 'cli.md#diff-apply' }],
  ['workspaces', { group: FLEET, examples: ['workspaces', 'workspaces --prune'], page: 'cli.md#workspaces' }],
  ['resume', { group: RUN, examples: ['resume latest'], page: 'cli.md#resume-retry' }],
  ['retry', { group: RUN, examples: ['retry latest'], page: 'cli.md#resume-retry' }],
  ['fork', { group: RUN, examples: ['fork latest --at draft --run'], page: 'cli.md#fork' }],
  ['cancel', { group: RUN, examples: ['cancel latest --reason "wrong input"'], page: 'cli.md#cancel-rm-gc' }],
  ['inbox', { group: PEOPLE, examples: ['inbox', 'inbox answer 01J9Z:41 --approve'], page: 'cli.md#inbox' }],
  ['inbox ls', { examples: ['inbox ls --queue editors'], page: 'cli.md#inbox' }],
  ['inbox show', { examples: ['inbox show 01J9Z:41'], page: 'cli.md#inbox' }],
  [
    'inbox answer',
    {
      examples: ['inbox answer 01J9Z:41 --approve', 'inbox answer 01J9Z:41 --retry "cite two sources"'],
      page: 'cli.md#inbox',
    },
  ],
  ['ui', { group: PEOPLE, examples: ['ui', 'ui --port 4400 --read-only', 'ui article.ts'], page: 'dashboard.md' }],
  [
    'ls',
    {
      group: LOOK,
      examples: ['ls', 'ls --status waiting,suspended', 'ls --tag team=search --sort cost'],
      page: 'cli.md#ls-show-events',
    },
  ],
  ['show', { group: LOOK, examples: ['show latest', 'show latest --timeline'], page: 'cli.md#ls-show-events' }],
  ['events', { group: LOOK, examples: ['events latest --follow'], page: 'cli.md#ls-show-events' }],
  ['report', { group: LOOK, examples: ['report latest --html -o report.html'], page: 'cli.md#report' }],
  ['compare', { group: LOOK, examples: ['compare latest', 'compare 01J9Z 01JA2'], page: 'cli.md#compare' }],
  ['search', { group: LOOK, examples: ['search "two sources"', 'search timeout latest'], page: 'cli.md#search' }],
  ['doctor', { group: LOOK, examples: ['doctor', 'doctor latest'], page: 'cli.md#doctor' }],
  ['verify', { group: LOOK, examples: ['verify', 'verify latest --json'], page: 'cli.md#verify' }],
  ['coverage', { group: LOOK, examples: ['coverage', 'coverage --threshold 80'], page: 'cli.md#coverage' }],
  ['backup', { group: KEEP, examples: ['backup runs-copy.db'], page: 'cli.md#backup' }],
  ['move', { group: KEEP, examples: ['move postgres://ada@db.example.com/runs'], page: 'cli.md#move' }],
  ['export', { group: KEEP, examples: ['export latest -o run.jsonl'], page: 'cli.md#export-import' }],
  ['import', { group: KEEP, examples: ['import run.jsonl'], page: 'cli.md#export-import' }],
  ['rm', { group: KEEP, examples: ['rm 01J9Z'], page: 'cli.md#cancel-rm-gc' }],
  ['gc', { group: KEEP, examples: ['gc --keep 30d --dry-run'], page: 'cli.md#cancel-rm-gc' }],
  ['memory', { group: KEEP, examples: ['memory', 'memory rm --phase draft'], page: 'cli.md#memory' }],
  ['memory ls', { examples: ['memory ls --pipeline article'], page: 'cli.md#memory' }],
  [
    'completion',
    { group: SHELL, examples: ['completion bash', 'completion fish | source'], page: 'cli.md#completion' },
  ],
  ['memory rm', { examples: ['memory rm --run 01J9Z'], page: 'cli.md#memory' }],
]);

/** Headings for the options of commands that have many options. */
const OPTION_GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Input:', ['--input', '--input-file']],
  ['Plan:', ['--plan', '--architect']],
  ['Agents:', ['--agent', '--concurrency', '--allow-commands', '--allow-network']],
  ['Workspaces:', ['--isolation', '--base', '--setup']],
  ['Gates:', ['--reviewer', '--check', '--attempts']],
  [
    'The answer, one of:',
    [
      '--approve',
      '--edit',
      '--retry',
      '--rewind',
      '--reclassify',
      '--reject',
      '--escalate',
      '--skip',
      '--abort',
      '--value',
    ],
  ],
  ['Limits:', ['--max-cost', '--max-tokens', '--max-attempts', '--timeout', '--deadline']],
  ['People:', ['--yes', '--wait', '--ui']],
  ['Output:', ['--output', '--json', '--inspect']],
  ['Records:', ['--store', '--no-store', '--run-id', '--memory', '--no-memory']],
]);

/** The most options that a command may have without headings. */
const MANY_OPTIONS = 6;

/** Refuses an unknown command name: commander would print the help of the parent command instead. */
function refuseUnknown(command: Command): void {
  const name = command.args.find((arg) => arg !== 'help' && !arg.startsWith('-'));
  const names = command.commands.map((one) => one.name());
  if (name === undefined || names.length === 0 || names.includes(name)) return;
  const meant = nearest(name, names);
  command.error(`error: unknown command '${name}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`);
}

function describe(command: Command, path: string): void {
  const more = MORE.get(path);
  if (!more) return;
  if (more.group !== undefined) command.helpGroup(more.group);
  if (command.options.length > MANY_OPTIONS) groupOptions(command);
  const examples = more.examples.map((example) => `  phasegate ${example}\n`).join('');
  command.addHelpText('after', `\nExamples:\n${examples}\nMore: ${pageOf(more.page)}`);
}

function groupOptions({ options }: Command): void {
  for (const option of options)
    for (const [group, longs] of OPTION_GROUPS) if (longs.includes(option.long ?? '')) option.helpGroup(group);
}
