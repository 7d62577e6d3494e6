/**
 * The commands for runs that are kept, as commander knows them.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../model/values/nearest.ts';
import type { CancelFlags } from './commands/cancel.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import type { EventsFlags } from './commands/events.ts';
import type { ExportFlags } from './commands/export-import.ts';
import type { ForkFlags } from './commands/fork.ts';
import type { ListFlags } from './commands/ls.ts';
import type { ReportFlags } from './commands/report.ts';
import type { ResumeFlags } from './commands/resume.ts';
import type { CollectFlags } from './commands/rm.ts';
import type { ShowFlags } from './commands/show.ts';
import type { UiFlags } from './commands/ui.ts';
import { DEFAULT_STORE, STORE_VARIABLE } from './options/defaults.ts';
import { LIMIT_FLAGS, toCount, toDuration, withLimits } from './options/limit-flags.ts';
import { INSPECT, toPort } from './options/port.ts';
import type { StoreFlags } from './options/store-option.ts';
import { exitCode, type ExitCode } from './process/exit-code.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** What a pipeline is in. */
export const PIPELINE_FILE = 'a .ts, .mts, .cts, .js, .mjs, .cjs, .yaml or .yml file';

/** What `--wait` does. */
export const WAIT = 'where nobody can be asked, wait until somebody answers from elsewhere';

/** What `--ui` does. */
export const UI = 'serve the dashboard, where people can answer, and wait for that';

/** The option that names the store. */
export function storeOption(description: string): Option {
  return new Option('--store <file>', `${description} (env: ${STORE_VARIABLE})`).argParser(notBlank);
}

/** Refuses a text without anything in it. */
export function notBlank(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty.');
}

/** Refuses words behind a command that is done where no other of its group is named: they were meant for one. */
export function refuseWords({ args, parent }: Command): void {
  const [word] = args;
  if (word === undefined || parent === null) return;
  const meant = nearest(
    word,
    parent.commands.map((one) => one.name()),
  );
  parent.error(`error: unknown command '${word}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`);
}

/** Adds the commands. @param io What they use of their process. @param end Told how a command has ended. */
export function addRunCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  for (const { name, description } of GOING_ON) {
    goingOn(command(program, `${name} <run> [pipeline]`).description(description)).action(
      async (run: string, file: string | undefined, flags: ResumeFlags) => {
        const { resumeKept, retryKept } = await import('./commands/resume.ts');
        end(await (name === 'resume' ? resumeKept : retryKept)(run, file, flags, io));
      },
    );
  }
  command(program, 'ls')
    .description('list runs, the latest started first')
    .option('--status <status>', 'only such runs: running, suspended, waiting, completed, … several with commas')
    .option('--pipeline <name>', 'only runs of that pipeline')
    .option('-n, --limit <count>', 'at most so many', toCount)
    .option('--json', 'print a line of JSON for each')
    .action(async (flags: ListFlags) => end(await (await import('./commands/ls.ts')).listRuns(flags, io)));

  command(program, 'events <run>')
    .description('print the records of a run')
    .option('--from <seq>', 'the number of the first', toCount)
    .option('-f, --follow', 'go on until the run has ended')
    .option('--json', 'print each record as a line of JSON')
    .action(async (run: string, flags: EventsFlags) =>
      end(await (await import('./commands/events.ts')).printEvents(run, flags, io)),
    );
  command(program, 'show <run>')
    .description('show how a run stands, and what each attempt came to')
    .option('--timeline', 'draw when each phase did what instead')
    .option('--json', 'print its snapshot, with all attempts, as JSON')
    .action(async (run: string, flags: ShowFlags) =>
      end(await (await import('./commands/show.ts')).showKept(run, flags, io)),
    );
  command(program, 'report <run>')
    .description('write a report on a run: its phases and decisions, its defects, and what they say of its gates')
    .option('--html', 'a page of HTML instead of Markdown')
    .addOption(new Option('--json', 'what the report is made from, as JSON').conflicts('html'))
    .option('-o, --out <file>', 'where to (default: standard output)', notBlank)
    .action(async (run: string, flags: ReportFlags) =>
      end(await (await import('./commands/report.ts')).reportKept(run, flags, io)),
    );
  command(program, 'doctor [run...]')
    .description('say what is wrong with review loops, as far as the records of runs tell (default: of all runs)')
    .option('--pipeline <name>', 'only runs of that pipeline')
    .option('--json', 'print findings, and what they were made from, as JSON')
    .action(async (runs: readonly string[], flags: DoctorFlags) =>
      end(await (await import('./commands/doctor.ts')).examineRuns(runs, flags, io)),
    );
  const fork = command(program, 'fork <run> [pipeline]')
    .description('make a new run that is left where another was at some point')
    .requiredOption('--at <seq|phase>', 'the last record to copy; or the phase that is as if it had never started')
    .option('--run', 'resume the new run at once');
  goingOn(fork, 'with --run: ').action(async (run: string, file: string | undefined, flags: ForkFlags) => {
    const idle = flags.run ? undefined : WITH_RUN.find((flag) => fork.getOptionValueSource(flag) === 'cli');
    if (idle !== undefined)
      fork.error(`error: option '${longOf(fork, idle)}' is of use with '--run' only`, { exitCode: exitCode.usage });
    end(await (await import('./commands/fork.ts')).forkKept(run, file, flags, io));
  });
  command(program, 'cancel <run>')
    .description('end a run; whoever works on it is told to')
    .option('--reason <text>', 'what its records say', notBlank)
    .action(async (run: string, flags: CancelFlags) =>
      end(await (await import('./commands/cancel.ts')).cancelKept(run, flags, io)),
    );
  command(program, 'ui')
    .description('show runs in a browser, and answer what waits for a person there')
    .option('--port <number>', 'where on this machine (default: the first from 4400 that is free)', toPort)
    .option('--read-only', 'answer and change nothing')
    .action(async (flags: UiFlags) => end(await (await import('./commands/ui.ts')).serveUi(flags, io)));
  command(program, 'rm <run...>')
    .description('remove runs with everything that belongs to them')
    .action(async (runs: readonly string[], flags: StoreFlags) =>
      end(await (await import('./commands/rm.ts')).removeKept(runs, flags, io)),
    );
  command(program, 'gc')
    .description('remove runs that have ended long ago')
    .requiredOption(
      '--keep <duration>',
      'how long runs are kept after their last record, such as 30d or 12h',
      toDuration,
    )
    .option('--dry-run', 'only list what would be removed')
    .action(async (flags: CollectFlags) => end(await (await import('./commands/rm.ts')).collectKept(flags, io)));
  command(program, 'export <run>')
    .description('write a run as one file, for bug reports; inputs and outputs are in it')
    .option('-o, --output <file>', 'where to (default: standard output)', notBlank)
    .action(async (run: string, flags: ExportFlags) =>
      end(await (await import('./commands/export-import.ts')).exportKept(run, flags, io)),
    );
  command(program, 'import <file>')
    .description('read a run that was exported; - is standard input')
    .action(async (file: string, flags: StoreFlags) =>
      end(await (await import('./commands/export-import.ts')).importKept(file, flags, io)),
    );
}

// --- internal ---

const GOING_ON = [
  { name: 'resume', description: 'go on with a run that was stopped, was killed, or waited for a person' },
  { name: 'retry', description: 'go on with a run that has ended without success: what was not approved runs again' },
] as const;

/** What `fork` takes for the run that it resumes at once. */
const WITH_RUN = [
  'allowChanged',
  'json',
  'wait',
  'ui',
  'inspect',
  ...LIMIT_FLAGS,
] as const satisfies readonly (keyof ForkFlags)[];

/** An option as it is written. */
function longOf({ options }: Command, name: string): string {
  return options.find((option) => option.attributeName() === name)?.long ?? name;
}

/** The options of what goes on with a run. @param where When they count. */
function goingOn(one: Command, where = ''): Command {
  const changeable = one.option(
    '--allow-changed',
    `${where}go on although the definition has changed, where the records allow it`,
  );
  return withLimits(changeable, where)
    .option('--allow-masked', 'go on with the input as it was kept, although secrets in it were masked')
    .option('--json', `${where}print every new record as a line of JSON, and nothing else, on standard output`)
    .option('--wait', `${where}${WAIT}`)
    .option('--ui', `${where}${UI}`)
    .option('--inspect [port]', `${where}${INSPECT}`, toPort);
}

function command(program: Command, usage: string): Command {
  return program.command(usage).addOption(storeOption(`where runs are kept (default: ${DEFAULT_STORE})`));
}
