/**
 * Definitions of the commands for stored runs.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../model/values/nearest.ts';
import type { CancelFlags } from './commands/cancel.ts';
import type { CoverageFlags } from './commands/coverage.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import type { EventsFlags } from './commands/events.ts';
import type { BackupFlags, ExportFlags, ImportFlags } from './commands/export-import.ts';
import type { ForkFlags } from './commands/fork.ts';
import type { ListFlags } from './commands/ls.ts';
import type { ReportFlags } from './commands/report.ts';
import type { ResumeFlags } from './commands/resume.ts';
import type { CollectFlags } from './commands/rm.ts';
import type { ShowFlags } from './commands/show.ts';
import type { UiFlags } from './commands/ui.ts';
import type { VerifyFlags } from './commands/verify.ts';
import { isRunId, otherRunId } from '../store/run-id.ts';
import { DEFAULT_STORE, STORE_VARIABLE } from './options/defaults.ts';
import { LIMIT_FLAGS, toCount, toDuration, withLimits } from './options/limit-flags.ts';
import { INSPECT, toPort } from './options/port.ts';
import type { StoreFlags } from './options/store-option.ts';
import { exitCode, type ExitCode } from './process/exit-code.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** The help text for the argument that names a pipeline file. */
export const PIPELINE_FILE = 'a .ts, .mts, .cts, .js, .mjs, .cjs, .yaml or .yml file';

/** The help text of `--wait`. */
export const WAIT = 'if nobody can be asked here, wait until somebody answers from elsewhere';

/** The help text of `--ui`. */
export const UI = 'serve the dashboard and wait until people answer there';

/** Creates the option that names the store. @param use Such as `stores runs`. */
export function storeOption(use: string): Option {
  const description = `the file or Postgres address that ${use} (default: ${DEFAULT_STORE}) (env: ${STORE_VARIABLE})`;
  return new Option('--store <file|url>', description).argParser(notBlank);
}

/** Refuses an empty or blank text. */
export function notBlank(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty.');
}

/** Reads the id of a new run. */
export function toRunId(text: string): string {
  if (isRunId(notBlank(text))) return text;
  throw new InvalidArgumentError(otherRunId(text));
}

/** Refuses extra arguments of the default subcommand: the user meant another subcommand, and misspelt it. */
export function refuseWords({ args, parent }: Command): void {
  const [word] = args;
  if (word === undefined || parent === null) return;
  const meant = nearest(
    word,
    parent.commands.map((one) => one.name()),
  );
  parent.error(`error: unknown command '${word}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`);
}

/** Adds the commands. @param io The streams and environment of the process. @param end Receives the exit code of a command. */
export function addRunCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  for (const { name, description } of RESUMING) {
    withResumeOptions(command(program, `${name} <run> [pipeline]`).description(description)).action(
      async (run: string, file: string | undefined, flags: ResumeFlags) => {
        const { resumeStored } = await import('./commands/resume.ts');
        end(await resumeStored(name, run, file, flags, io));
      },
    );
  }
  command(program, 'ls')
    .description('list runs, the latest started first')
    .option('--status <status>', 'only runs with these statuses, with commas between: queued, waiting, …')
    .option('--pipeline <name>', 'only runs of that pipeline')
    .option('--tag <tag>', 'only runs with this tag, or this key of a tag; may be repeated', addTag)
    .option('--sort <column>', 'started (the default), updated, worked, elapsed, cost, tokens or tags')
    .option('-n, --limit <count>', 'list at most this many runs', toCount)
    .option('--json', 'print each run as a line of JSON')
    .action(async (flags: ListFlags) => end(await (await import('./commands/ls.ts')).listRuns(flags, io)));

  command(program, 'events <run>')
    .description('print the records of a run')
    .option('--from <seq>', 'the number of the first record to print', toCount)
    .option('-f, --follow', 'print new records until the run ends')
    .option('--json', 'print each record as a line of JSON')
    .action(async (run: string, flags: EventsFlags) =>
      end(await (await import('./commands/events.ts')).printEvents(run, flags, io)),
    );
  command(program, 'show <run>')
    .description('show the status of a run and the outcome of each attempt')
    .option('--timeline', 'draw a timeline of the phases instead')
    .option('--json', 'print the snapshot of the run, with all attempts, as JSON')
    .action(async (run: string, flags: ShowFlags) =>
      end(await (await import('./commands/show.ts')).showStored(run, flags, io)),
    );
  command(program, 'report <run>')
    .description('write a report on a run: its phases, decisions and defects, and the quality of its gates')
    .option('--html', 'write an HTML page instead of Markdown')
    .addOption(new Option('--json', 'write the data of the report as JSON').conflicts('html'))
    .option('-o, --out <file>', 'the file to write (default: standard output)', notBlank)
    .action(async (run: string, flags: ReportFlags) =>
      end(await (await import('./commands/report.ts')).reportStored(run, flags, io)),
    );
  command(program, 'doctor [run...]')
    .description('report problems of review loops that the records of runs show (default: all runs)')
    .option('--pipeline <name>', 'only runs of that pipeline')
    .option('--json', 'print the findings and their data as JSON')
    .action(async (runs: readonly string[], flags: DoctorFlags) =>
      end(await (await import('./commands/doctor.ts')).examineRuns(runs, flags, io)),
    );
  command(program, 'verify [run...]')
    .description('check that runs are complete, undamaged, and could have been recorded so (default: all runs)')
    .option('--seal <seal>', 'check that the run still has the records of a seal that was kept elsewhere')
    .option('--json', 'print the result for each run as a line of JSON')
    .action(async (runs: readonly string[], flags: VerifyFlags) =>
      end(await (await import('./commands/verify.ts')).verifyStored(runs, flags, io)),
    );
  command(program, 'coverage [run...]')
    .description(
      'print what runs have shown of a pipeline, and what none has (default: all runs of the latest pipeline)',
    )
    .option('--pipeline <name>', 'only runs of that pipeline')
    .option('--allow-changed', 'count runs of changed definitions, too, by the names of their phases')
    .option('--json', 'print the coverage as JSON')
    .option('--html <file>', 'also write it as an HTML page', notBlank)
    .option('--threshold <percent>', 'exit with 1 if the runs have shown less', toPercent)
    .action(async (runs: readonly string[], flags: CoverageFlags) =>
      end(await (await import('./commands/coverage.ts')).coverRuns(runs, flags, io)),
    );
  const fork = command(program, 'fork <run> [pipeline]')
    .description('create a new run from the first records of another')
    .requiredOption(
      '--at <seq|phase>',
      'required: the last record to copy; or a phase, of which all records before its start are copied',
    )
    .option('--run', 'resume the new run at once');
  withResumeOptions(fork, 'with --run: ').action(async (run: string, file: string | undefined, flags: ForkFlags) => {
    const idle = flags.run ? undefined : WITH_RUN.find((flag) => fork.getOptionValueSource(flag) === 'cli');
    if (idle !== undefined)
      fork.error(`error: option '${longOf(fork, idle)}' needs '--run'`, { exitCode: exitCode.usage });
    end(await (await import('./commands/fork.ts')).forkStored(run, file, flags, io));
  });
  command(program, 'cancel <run>')
    .description('cancel a run; the process that runs it stops its work')
    .option('--reason <text>', 'the reason to record', notBlank)
    .action(async (run: string, flags: CancelFlags) =>
      end(await (await import('./commands/cancel.ts')).cancelStored(run, flags, io)),
    );
  command(program, 'ui [pipeline...]')
    .description('serve the dashboard: see runs, answer inbox items and start runs of these pipelines in a browser')
    .option('--port <number>', 'the port on this machine (default: the first free one from 4400)', toPort)
    .option('--read-only', 'allow no answers and no changes')
    .action(async (files: readonly string[], flags: UiFlags) =>
      end(await (await import('./commands/ui.ts')).serveUi(files, flags, io)),
    );
  command(program, 'rm <run...>')
    .description('remove runs and everything that belongs to them')
    .action(async (runs: readonly string[], flags: StoreFlags) =>
      end(await (await import('./commands/rm.ts')).removeStored(runs, flags, io)),
    );
  command(program, 'gc')
    .description('remove runs that ended long ago')
    .requiredOption('--keep <duration>', 'required: keep runs this long after their last record: 30d, 12h', toDuration)
    .option('--dry-run', 'list the runs without removing them')
    .action(async (flags: CollectFlags) => end(await (await import('./commands/rm.ts')).collectStored(flags, io)));
  command(program, 'backup <file>')
    .description('copy the whole store to a file, also while runs are at work')
    .option('--replace', 'replace the file if there is one, unless the store is damaged')
    .action(async (file: string, flags: BackupFlags) =>
      end(await (await import('./commands/export-import.ts')).backUpStore(file, flags, io)),
    );
  command(program, 'move <file|url>')
    .description('move all runs to another store, such as a Postgres database')
    .action(async (other: string, flags: StoreFlags) =>
      end(await (await import('./commands/export-import.ts')).moveStored(other, flags, io)),
    );
  command(program, 'export <run>')
    .description('write a run to one file, for example for a bug report; it contains inputs and outputs')
    .option('-o, --output <file>', 'the file to write (default: standard output)', notBlank)
    .action(async (run: string, flags: ExportFlags) =>
      end(await (await import('./commands/export-import.ts')).exportStored(run, flags, io)),
    );
  command(program, 'import <file>')
    .description('store an exported run; - is standard input')
    .option('--run-id <id>', 'the id of the run in the store (default: its own, or a new ULID)', toRunId)
    .action(async (file: string, flags: ImportFlags) =>
      end(await (await import('./commands/export-import.ts')).importStored(file, flags, io)),
    );
}

// --- internal ---

const RESUMING = [
  { name: 'resume', description: 'resume a run that was stopped or killed, or that waits for a person' },
  { name: 'retry', description: 'retry a run that ended without success: phases that are not approved run again' },
] as const;

/** Options of `fork` that configure the run which `--run` resumes. */
const WITH_RUN = [
  'allowChanged',
  'json',
  'wait',
  'ui',
  'inspect',
  ...LIMIT_FLAGS,
] as const satisfies readonly (keyof ForkFlags)[];

function addTag(tag: string, before: readonly string[] = []): readonly string[] {
  return [...before, tag];
}

function toPercent(text: string): number {
  const percent = Number(text);
  if (/^\d{1,3}(?:\.\d{1,3})?$/u.test(text) && percent <= 100) return percent;
  throw new InvalidArgumentError('It must be a number from 0 to 100.');
}

/** Returns the long flag of an option, such as `--max-cost`. */
function longOf({ options }: Command, name: string): string {
  return options.find((option) => option.attributeName() === name)?.long ?? name;
}

/** Adds the options of commands that resume a run. @param where A prefix of their descriptions that says when they apply. */
function withResumeOptions(one: Command, where = ''): Command {
  const changeable = one.option(
    '--allow-changed',
    `${where}continue with a changed definition, if the records allow it`,
  );
  return withLimits(changeable, where)
    .option('--allow-masked', 'continue with the stored input, although secrets in it were masked')
    .option('--json', `${where}print every new record as a line of JSON, and nothing else, on standard output`)
    .option('--wait', `${where}${WAIT}`)
    .option('--ui', `${where}${UI}`)
    .option('--inspect [port]', `${where}${INSPECT}`, toPort);
}

function command(program: Command, usage: string): Command {
  return program.command(usage).addOption(storeOption('stores runs'));
}
