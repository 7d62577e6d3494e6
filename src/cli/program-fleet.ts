/**
 * Definitions of the commands for fleets of agents.
 *
 * @module
 */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ApplyFlags } from './fleet/apply.ts';
import type { DiffFlags } from './fleet/diff.ts';
import type { FleetFlags } from './fleet/run-fleet.ts';
import type { PlanFlags } from './fleet/run-plan.ts';
import type { WorkspacesFlags } from './fleet/workspaces.ts';
import { toCount, withLimits } from './options/limit-flags.ts';
import type { ExitCode } from './process/exit-code.ts';
import { notBlank, storeOption, toRunId, UI, WAIT } from './program-runs.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the commands. @param io The streams and environment of the process. @param end Receives the exit code of a command. */
export function addFleetCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  withFleetOptions(program.command('fleet').argument('[goal]', 'the goal, in words'))
    .description('have agents plan a goal and carry it out in folders of their own, level by level')
    .option(
      '--plan <file>',
      'a JSON file with the plan, or a run of phasegate plan by show --json; then no agent plans',
      notBlank,
    )
    .option('--reviewer <agent>', 'an agent that reviews each level; may be repeated', addTo)
    .option('--check <line>', 'a line for the shell that has to succeed after each level; may be repeated', addTo)
    .option('--attempts <count>', 'most attempts of a level (default: 2)', toCount)
    .option('--concurrency <count>', 'most agents that work at the same time (default: 4)', toCount)
    .option('--setup <line>', 'a program with its arguments that prepares each new folder', notBlank)
    .option('--allow-commands', 'let agents run commands')
    .option('--allow-network', 'let agents use the network')
    .action(async (goal: string | undefined, flags: FleetFlags) =>
      end(await (await import('./fleet/run-fleet.ts')).runFleet(goal, flags, io)),
    );
  withFleetOptions(program.command('plan').argument('<goal>', 'the goal, in words'))
    .description('have an agent plan a goal; nobody carries the plan out')
    .option('-o, --output <file>', 'write the approved plan to a new file, for fleet --plan', notBlank)
    .action(async (goal: string, flags: PlanFlags) =>
      end(await (await import('./fleet/run-plan.ts')).runPlan(goal, flags, io)),
    );
  withStore(program.command('apply <run>'))
    .description('move your branch and files to the work of a fleet, if that loses nothing of yours')
    .option('--partial', 'take the work of the approved phases of a run that is not completed')
    .action(async (run: string, flags: ApplyFlags) =>
      end(await (await import('./fleet/apply.ts')).applyStored(run, flags, io)),
    );
  withStore(program.command('diff <run> [task]'))
    .description('print the changes of a run so far, or of one task: its name, or <phase>/<task>')
    .option('--stat', 'print the names of the files and counts of lines only')
    .action(async (run: string, task: string | undefined, flags: DiffFlags) =>
      end(await (await import('./fleet/diff.ts')).diffStored(run, task, flags, io)),
    );
  program
    .command('workspaces')
    .description('list the folders of agents for this repository')
    .option('--prune', 'remove those whose content is kept')
    .option('--rescue', 'with --prune: keep other content as commits first, and remove its folders as well')
    .option('--json', 'print each as a line of JSON')
    .action(async (flags: WorkspacesFlags) =>
      end(await (await import('./fleet/workspaces.ts')).listWorkspaces(flags, io)),
    );
}

// --- internal ---

const AGENT =
  'the agent: claude, codex, gemini, acp:<line> or command:<line> (default: the first of the three that is installed)';

function withFleetOptions(command: Command): Command {
  return withLimits(
    command
      .option('--agent <agent>', AGENT, notBlank)
      .option('--architect <agent>', 'the agent that plans (default: the same)', notBlank)
      .addOption(
        new Option('--isolation <kind>', 'the folders of agents (default: clone)').choices(['clone', 'worktree']),
      )
      .addOption(
        new Option(
          '--base <base>',
          'start from your last commit, or with your uncommitted work (default: head)',
        ).choices(['head', 'head+dirty']),
      )
      .option(
        '--estimate-cost <usd>',
        'the most that one try of an agent costs; needed by --max-cost if the agent does not report it',
        toAmount,
      )
      .option(
        '--estimate-tokens <count>',
        'the most tokens that one try of an agent takes; needed by --max-tokens if the agent does not report them',
        toCount,
      )
      .option('-y, --yes', 'start without approval of the plan by a person'),
  )
    .option('--json', 'print every record as a line of JSON, and nothing else, on standard output')
    .option('--run-id <id>', 'the id of the run (default: a new ULID)', toRunId)
    .option('--tag <tag>', 'a tag of the run, such as nightly or team=search; may be repeated', addTo)
    .option('--wait', WAIT)
    .option('--ui', UI)
    .addOption(storeOption('stores the run'));
}

function withStore(command: Command): Command {
  return command.addOption(storeOption('stores the run'));
}

function toAmount(text: string): number {
  const amount = Number(text);
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidArgumentError('It is no amount above 0.');
}

function addTo(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, notBlank(value)];
}
