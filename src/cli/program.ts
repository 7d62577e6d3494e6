/**
 * The command line as commander knows it.
 *
 * @module
 */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { errorInfo, PhasegateError } from '../model/errors/phasegate-error.ts';
import { maskSecrets } from '../model/events/secrets.ts';
import { version } from '../server/version.ts';
import type { GraphFlags, GraphFormat } from './commands/graph.ts';
import type { Language } from './commands/init.ts';
import type { RunFlags } from './commands/run.ts';
import { addHelp } from './help.ts';
import { withColour } from './options/color.ts';
import { DEFAULT_SCOPE, DEFAULT_STORE, LATEST, STORE_VARIABLE } from './options/defaults.ts';
import { withLimits } from './options/limit-flags.ts';
import { INSPECT, toPort, withPortsApart } from './options/port.ts';
import { rememberEnvironment } from './process/environment-secrets.ts';
import { exitCode, type ExitCode } from './process/exit-code.ts';
import { addCompletionCommands } from './program-completion.ts';
import { addInboxCommands } from './program-inbox.ts';
import { addMemoryCommands } from './program-memory.ts';
import { addRunCommands, notBlank, PIPELINE_FILE, storeOption, UI, WAIT } from './program-runs.ts';
import { withAddress, withAdvice } from './terminal/error-text.ts';
import { widthOf, type ProgramIo } from './terminal/program-io.ts';
import { stripControls } from './terminal/strip-controls.ts';

/** Arguments of the command line, and what commands use of their process. */
export interface ProgramOptions extends ProgramIo {
  readonly argv: readonly string[];
}

/** Does what the arguments ask for. Never rejects. */
export async function runProgram({ argv: given, ...around }: ProgramOptions): Promise<ExitCode> {
  const { argv, env } = withColour(given, around.env);
  const io: ProgramIo = { ...around, env };
  let code: ExitCode = exitCode.completed;
  rememberEnvironment(io.env);
  const program = createProgram(io, (done) => (code = done));
  try {
    await program.parseAsync([...withPortsApart(argv, ['--inspect'])], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.completed : exitCode.usage;
    const text = PhasegateError.is(error)
      ? withAddress(withAdvice(error.code, error.message))
      : (errorInfo(error).stack ?? String(error));
    // It may quote models, files and other people's runs.
    io.stderr.write(`${stripControls(maskSecrets(text))}\n`);
    return PhasegateError.is(error) ? exitCode.usage : exitCode.unsuccessful;
  }
}

// --- internal ---

/** Columns of help where no terminal says how many it has. */
const USUAL_WIDTH = 80;

const LANGUAGES: readonly Language[] = ['ts', 'yaml'];
const GRAPH_FORMATS: readonly GraphFormat[] = ['mermaid', 'dot', 'svg'];
const GRAPH_MACHINES: readonly NonNullable<GraphFlags['machine']>[] = ['phase', 'pipeline'];

const MEMORY = `whose memory the run shares: it learns from earlier runs of that scope (default: ${DEFAULT_SCOPE})`;

/** What a command needs is loaded when it is called for: help and mistakes are answered at once. */
function createProgram(io: ProgramIo, end: (code: ExitCode) => void): Command {
  const program = new Command('phasegate')
    .description('Run pipelines whose phases must pass review.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--color', 'colours, also where no terminal is (as FORCE_COLOR=1)')
    .option('--no-color', 'no colours (as NO_COLOR=1)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(stripControls(text)),
      getOutHelpWidth: () => widthOf(io.stdout) ?? USUAL_WIDTH,
      getErrHelpWidth: () => widthOf(io.stderr) ?? USUAL_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .hook('preAction', (_program, command) => takeStoreFrom(io, command))
    .showHelpAfterError('Add --help for what is possible.')
    .exitOverride();
  program
    .command('init')
    .description('write a small pipeline to change, which runs at once')
    .addArgument(new Argument('[language]', 'what it is written in').choices(LANGUAGES).default('ts'))
    .action(async (language: Language) => end(await (await import('./commands/init.ts')).initFolder(language, io)));
  withLimits(
    program
      .command('run')
      .description('run a pipeline and show how it goes')
      .argument('<pipeline>', PIPELINE_FILE)
      .option('-i, --input <field>', 'a field of the input, as key=text or key:=json; may be repeated', addTo)
      .addOption(new Option('--input-file <file>', 'a JSON file with the input, - for standard input')),
  )
    .option('--json', 'print every record as a line of JSON, and nothing else, on standard output')
    .option('--run-id <id>', 'the id of the run (default: a new ULID)', idOfItsOwn)
    .option('--wait', WAIT)
    .option('--ui', UI)
    .option('--inspect [port]', INSPECT, toPort)
    .addOption(storeOption(`where the run is kept, "memory" for nowhere (default: ${DEFAULT_STORE})`))
    .option('--no-store', 'do not keep the run: it cannot be resumed then')
    .option('--memory <scope>', MEMORY, notBlank)
    .option('--no-memory', 'neither recall what earlier runs have learned, nor have it remembered')
    .action(async (file: string, flags: RunFlags) =>
      end(await (await import('./commands/run.ts')).runFile(file, flags, io)),
    );
  addRunCommands(program, io, end);
  addInboxCommands(program, io, end);
  addMemoryCommands(program, io, end);
  program
    .command('check')
    .description('judge a pipeline without running it, and print what a run can take at worst')
    .argument('<pipeline>', PIPELINE_FILE)
    .action(async (file: string) => end(await (await import('./commands/check.ts')).checkFile(file, io)));
  program
    .command('graph')
    .description('draw a pipeline, with the ways back; or a run, how it stands; or the machines of both')
    .argument('[pipeline|run]', `${PIPELINE_FILE}; or the id of a run that is kept, or ${LATEST}`)
    .addOption(
      new Option('-f, --format <format>', 'the language (default: by the name of the file, else mermaid)').choices(
        GRAPH_FORMATS,
      ),
    )
    .addOption(new Option('--machine <machine>', 'draw a statechart instead').choices(GRAPH_MACHINES))
    .option('-o, --out <file>', 'where to (default: standard output)', notBlank)
    .addOption(storeOption(`where runs are kept (default: ${DEFAULT_STORE})`))
    .action(async (wanted: string | undefined, flags: GraphFlags) =>
      end(await (await import('./commands/graph.ts')).drawGraph(wanted, flags, io)),
    );
  addCompletionCommands(program, io, end);
  addHelp(program);
  return program;
}

/** Takes the store that the environment names, if no flag does. Commander would read the environment of this process. */
function takeStoreFrom({ env }: ProgramIo, command: Command): void {
  const named = env[STORE_VARIABLE];
  const hasStore = command.options.some(({ long }) => long === '--store');
  if (named === undefined || !hasStore || command.getOptionValueSource('store') !== undefined) return;
  if (named.trim() === '')
    command.error(`error: option '--store <file>' value '' from env '${STORE_VARIABLE}' is invalid. It is empty.`);
  command.setOptionValueWithSource('store', named, 'env');
}

/** Not commander's variadic `<field...>`, which would take a file name that follows for a field. */
function addTo(field: string, before: readonly string[] = []): readonly string[] {
  return [...before, field];
}

/** Refuses an id by which commands would find another run. */
function idOfItsOwn(text: string): string {
  if (text !== LATEST) return notBlank(text);
  throw new InvalidArgumentError('Commands that take a run mean the latest by it.');
}
