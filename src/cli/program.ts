/**
 * The command line: its commands, their options and the exit code.
 *
 * @module
 */
import { Argument, Command, CommanderError, Option } from 'commander';
import { errorInfo, PhasegateError } from '../model/errors/phasegate-error.ts';
import { maskSecrets } from '../model/events/secrets.ts';
import { LATEST } from '../store/run-id.ts';
import { version } from '../store/version.ts';
import type { GraphFlags, GraphFormat } from './commands/graph.ts';
import type { InitFlags, Language } from './commands/init.ts';
import type { TestFlags } from './commands/test-pipeline.ts';
import type { WorkFlags } from './run/work.ts';
import type { RunFlags } from './commands/run.ts';
import { addHelp } from './help.ts';
import { withColour } from './options/color.ts';
import { DEFAULT_SCOPE, STORE_VARIABLE } from './options/defaults.ts';
import { refuseBoth } from './options/exclusive.ts';
import { toCount, toDuration, withLimits } from './options/limit-flags.ts';
import { addPool } from './options/pool-flag.ts';
import { INSPECT, toPort, withPortsApart } from './options/port.ts';
import { rememberEnvironment } from './process/environment-secrets.ts';
import { exitCode, type ExitCode } from './process/exit-code.ts';
import { addCompletionCommands } from './program-completion.ts';
import { addCompareCommand } from './program-compare.ts';
import { addFleetCommands } from './program-fleet.ts';
import { addInboxCommands } from './program-inbox.ts';
import { addMemoryCommands } from './program-memory.ts';
import { addRunCommands, notBlank, PIPELINE_FILE, storeOption, toRunId, UI, WAIT } from './program-runs.ts';
import { addSearchCommand } from './program-search.ts';
import { shownName } from './options/store-address.ts';
import { withAddress, withAdvice, withStore } from './terminal/error-text.ts';
import { widthOf, type ProgramIo } from './terminal/program-io.ts';
import { stripControls } from './terminal/strip-controls.ts';

/** The arguments of the command line, and the streams and environment of the process. */
export interface ProgramOptions extends ProgramIo {
  readonly argv: readonly string[];
}

/** Runs the command that the arguments name. Never rejects. @returns The exit code. */
export async function runProgram({ argv: given, ...around }: ProgramOptions): Promise<ExitCode> {
  const { argv, env } = withColour(given, around.env);
  const io: ProgramIo = { ...around, env };
  let code: ExitCode = exitCode.completed;
  rememberEnvironment(io.env);
  let invoked: Command | undefined;
  const program = createProgram(
    io,
    (done) => (code = done),
    (command) => (invoked = command),
  );
  try {
    refuseNul(argv);
    await program.parseAsync([...withPortsApart(argv, ['--inspect'])], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.completed : exitCode.usage;
    const text = PhasegateError.is(error)
      ? withAddress(withStore(withAdvice(error.code, error.message), namedStore(invoked)))
      : (errorInfo(error).stack ?? String(error));
    // The text may quote models, files and other people's runs, so secrets and control characters are removed.
    io.stderr.write(`${stripControls(maskSecrets(text))}\n`);
    return PhasegateError.is(error) ? exitCode.usage : exitCode.unsuccessful;
  }
}

// --- internal ---

/** Refuses arguments that no system takes for a path or a program. */
function refuseNul(argv: readonly string[]): void {
  const broken = argv.find((argument) => argument.includes('\0'));
  if (broken === undefined) return;
  const problem = `Cannot read the argument ${JSON.stringify(broken)} as it has a NUL character`;
  throw new PhasegateError('INPUT_INVALID', problem, { hint: 'Leave that character out.' });
}

/** Columns of the help text if the terminal does not report its width. */
const USUAL_WIDTH = 80;

const LANGUAGES: readonly Language[] = ['ts', 'yaml'];
const GRAPH_FORMATS: readonly GraphFormat[] = ['mermaid', 'dot', 'svg'];
const GRAPH_MACHINES: readonly NonNullable<GraphFlags['machine']>[] = ['phase', 'lifecycle', 'pipeline'];

const MEMORY = `the memory scope: the run learns from earlier runs of that scope (default: ${DEFAULT_SCOPE})`;

/** Defines the commands. Each action imports its module only when it runs, so that help and usage errors are fast. */
function createProgram(io: ProgramIo, end: (code: ExitCode) => void, onInvoked: (command: Command) => void): Command {
  const program = new Command('phasegate')
    .description('Run pipelines whose phases must pass review.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--color', 'print colours even without a terminal (like FORCE_COLOR=1)')
    .option('--no-color', 'print no colours (like NO_COLOR=1)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(stripControls(text)),
      getOutHelpWidth: () => widthOf(io.stdout) ?? USUAL_WIDTH,
      getErrHelpWidth: () => widthOf(io.stderr) ?? USUAL_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .hook('preAction', (_program, command) => {
      takeStoreFrom(io, command);
      onInvoked(command);
    })
    .showHelpAfterError('Add --help to see the commands and options.')
    .exitOverride();
  program
    .command('init')
    .description('write a small example pipeline that runs as it is')
    .addArgument(new Argument('[language]', 'the language of the pipeline file').choices(LANGUAGES).default('ts'))
    .option(
      '--agent [agent]',
      'write a pipeline for this repository, with the agent that is installed, or this one',
      notBlank,
    )
    .action(async (language: Language, flags: InitFlags) =>
      end(await (await import('./commands/init.ts')).initFolder(language, flags, io)),
    );
  const run = withLimits(
    program
      .command('run')
      .description('run a pipeline and show its progress')
      .argument('<pipeline>', PIPELINE_FILE)
      .option('-i, --input <field>', 'a field of the input, as key=text or key:=json; may be repeated', addTo)
      .addOption(new Option('--input-file <file>', 'a JSON file with the input, - for standard input')),
  )
    .option('--json', 'print every record as a line of JSON, and nothing else, on standard output')
    .option('--run-id <id>', 'the id of the run (default: a new ULID)', toRunId)
    .option('--tag <tag>', 'a tag of the run, such as nightly or team=search; may be repeated', addTo)
    .addOption(
      new Option('--detach', 'only store the run, for a worker (phasegate work), and print its id').conflicts([
        'json',
        'wait',
        'ui',
        'inspect',
      ]),
    )
    .option('--wait', WAIT)
    .option('--ui', UI)
    .option('--inspect [port]', INSPECT, toPort)
    .addOption(storeOption('stores the run, or "memory" for none'))
    .option('--no-store', 'do not store the run: it cannot be resumed later')
    .option('--memory <scope>', MEMORY, notBlank)
    .option('--no-memory', 'neither read memories of earlier runs nor store new ones')
    .action(async (file: string, flags: RunFlags) =>
      end(await (await import('./commands/run.ts')).runFile(file, flags, io)),
    );
  for (const name of ['store', 'memory']) refuseBoth(run, name);
  program
    .command('work')
    .description('work on the runs of pipelines, as they are submitted, interrupted or answered, until it is stopped')
    .argument('<pipelines...>', PIPELINE_FILE)
    .option(
      '-c, --concurrency <count>',
      'the most runs at once (default: 10); runs that only wait do not count',
      toCount,
    )
    .option('--pool <name=size>', 'the most tries at once in a pool, over all workers; repeat it for several', addPool)
    .option('--grace <duration>', 'the time that runs have to end after a signal (default: 8s)', toDuration)
    .option('--metrics <port>', 'serve /health and /metrics for Prometheus on this port of 127.0.0.1', toPort)
    .option('--json', 'print a line of JSON for each run that is taken, done or failed')
    .addOption(storeOption('stores the runs'))
    .action(async (files: readonly string[], flags: WorkFlags) =>
      end(await (await import('./run/work.ts')).workOnRuns(files, flags, io)),
    );
  addRunCommands(program, io, end);
  addCompareCommand(program, io, end);
  addSearchCommand(program, io, end);
  addFleetCommands(program, io, end);
  addInboxCommands(program, io, end);
  addMemoryCommands(program, io, end);
  program
    .command('check')
    .description('check a pipeline without running it, and print the most that a run can take')
    .argument('<pipeline>', PIPELINE_FILE)
    .action(async (file: string) => end(await (await import('./commands/check.ts')).checkFile(file, io)));
  program
    .command('test')
    .description('rehearse a pipeline with sample data: its bounds, every decision of its gates, and what cannot end')
    .argument('<pipeline>', PIPELINE_FILE)
    .option('-i, --input <field>', 'a field of the input, as key=text or key:=json; may be repeated', addTo)
    .addOption(new Option('--input-file <file>', 'a JSON file with the input, - for standard input'))
    .option('--write', 'write a test for vitest next to the pipeline')
    .option('--json', 'print JSON')
    .action(async (file: string, flags: TestFlags) =>
      end(await (await import('./commands/test-pipeline.ts')).testFile(file, flags, io)),
    );
  program
    .command('graph')
    .description('draw a pipeline with its rewinds, the status of a run, or the statecharts behind both')
    .argument('[pipeline|run]', `${PIPELINE_FILE}; or the id of a stored run, or ${LATEST}`)
    .addOption(
      new Option('-f, --format <format>', 'the output format (default: by the file name, else mermaid)').choices(
        GRAPH_FORMATS,
      ),
    )
    .addOption(new Option('--machine <machine>', 'draw a statechart instead').choices(GRAPH_MACHINES))
    .option('-o, --out <file>', 'the file to write (default: standard output)', notBlank)
    .addOption(storeOption('stores runs'))
    .action(async (wanted: string | undefined, flags: GraphFlags) =>
      end(await (await import('./commands/graph.ts')).drawGraph(wanted, flags, io)),
    );
  addCompletionCommands(program, io, end);
  addHelp(program);
  return program;
}

/** Uses the store that the environment names, if no flag does. Commander itself would read `process.env` and not `io.env`. */
function takeStoreFrom({ env }: ProgramIo, command: Command): void {
  const named = env[STORE_VARIABLE];
  const hasStore = command.options.some(({ long }) => long === '--store');
  if (named === undefined || !hasStore || command.getOptionValueSource('store') !== undefined) return;
  if (named.trim() === '')
    command.error(`error: option '--store <file|url>' value '' from env '${STORE_VARIABLE}' is invalid. It is empty.`);
  command.setOptionValueWithSource('store', named, 'env');
}

/** The store that the user has named by a flag; `undefined` if commands find it without one. */
function namedStore(command: Command | undefined): string | undefined {
  const store: unknown = command?.getOptionValueSource('store') === 'cli' ? command.getOptionValue('store') : undefined;
  return typeof store === 'string' ? shownName(store) : undefined;
}

/** Collects repeated fields. Commander's variadic `<field...>` would also take a file name that follows. */
function addTo(field: string, before: readonly string[] = []): readonly string[] {
  return [...before, field];
}
