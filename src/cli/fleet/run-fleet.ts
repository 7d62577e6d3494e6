/**
 * `phasegate fleet`.
 *
 * @module
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { newId } from '../../model/values/new-id.ts';
import { checkedTags } from '../../model/events/run-tags.ts';
import { codeOf, errorInfo, hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { limitsOf, type LimitFlags } from '../options/limit-flags.ts';
import { refuseAgents } from '../options/refuse-agents.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { writeNew } from '../process/write-out.ts';
import { fleetIn, type FleetFile } from '../load/fleet-file.ts';
import { installedAgent } from '../load/installed-agent.ts';
import { KNOWN_AGENTS } from '../load/yaml/agent-schema.ts';
import { agentOf } from '../load/yaml/build-agent.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { argument } from '../terminal/text.ts';
import { runFile, type RunFlags } from '../commands/run.ts';
import type { Driven } from '../run/drive.ts';
import { definitionPath } from '../options/fleet-definition.ts';
import { openStoreToRun, storeArgument, type OpenStore } from '../options/store-option.ts';
import { readPlanFile } from './read-plan.ts';

/** Flags of `phasegate fleet`. */
export interface FleetFlags extends RunFlags {
  readonly plan?: string | undefined;
  readonly agent?: string | undefined;
  readonly architect?: string | undefined;
  readonly reviewer?: readonly string[] | undefined;
  readonly check?: readonly string[] | undefined;
  readonly attempts?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly isolation?: FleetFile['isolation'];
  readonly base?: FleetFile['base'];
  readonly setup?: string | undefined;
  readonly allowCommands?: boolean | undefined;
  readonly allowNetwork?: boolean | undefined;
  readonly yes?: boolean | undefined;
  /** US dollars that one try of an agent takes at most. */
  readonly estimateCost?: number | undefined;
  /** Tokens that one try of an agent takes at most. */
  readonly estimateTokens?: number | undefined;
}

/** The part of the work that a command does. */
export interface FleetScope extends Pick<Driven, 'ending'> {
  /** True if nobody carries the plan out. @default false */
  readonly planOnly?: boolean | undefined;
}

/**
 * Carries out a goal or a plan with agents. The fleet is written to a file, which is the definition of the run: so it is resumed like any
 * other.
 */
export async function runFleet(
  goal: string | undefined,
  flags: FleetFlags,
  io: ProgramIo,
  { planOnly = false, ending }: FleetScope = {},
): Promise<ExitCode> {
  if (flags.yes) refuseAgents('start a fleet without an approval', io);
  const plan = flags.plan === undefined ? undefined : await readPlanFile(flags.plan, io);
  if ((goal === undefined || goal.trim() === '') && plan === undefined) throw nothingToDo();
  if (goal !== undefined && plan !== undefined) throw bothGiven();
  const agent = flags.agent ?? (await installedAgent(io));
  if (agent === undefined) throw noAgent();
  for (const one of [agent, flags.architect, ...(flags.reviewer ?? [])])
    if (one !== undefined) agentOf(one, { isCompared: true });
  const limits = limitsOf(flags);
  checkedTags(flags.tag);
  const estimate = estimateOf(flags);
  const runId = flags.runId ?? newId();
  const path = definitionPath(runId, io);
  const { commands, network } = { commands: flags.allowCommands, network: flags.allowNetwork };
  const file: FleetFile = {
    ...(goal !== undefined && { goal }),
    ...(plan !== undefined && { plan }),
    ...(planOnly && { planOnly }),
    agent,
    ...(flags.architect !== undefined && { architect: flags.architect }),
    ...(flags.reviewer && { reviewers: [...flags.reviewer] }),
    ...(flags.check && { checks: [...flags.check] }),
    approval: !flags.yes,
    ...(flags.attempts !== undefined && { maxAttempts: flags.attempts }),
    ...(flags.concurrency !== undefined && { concurrency: flags.concurrency }),
    ...(flags.isolation && { isolation: flags.isolation }),
    ...(flags.base && { base: flags.base }),
    ...(flags.setup !== undefined && { setup: flags.setup }),
    ...(limits && { limits }),
    ...(estimate && { estimate }),
    permissions: { ...(commands && { commands: 'allow' }), ...(network && { network: 'allow' }) },
    repository: relative(dirname(path), io.cwd) || '.',
  };
  // A fleet that is refused leaves no file.
  fleetIn(path, file, dirname(path));
  await mkdir(dirname(path), { recursive: true });
  // Goals and plans must not become part of a commit by chance.
  await writeFile(join(dirname(dirname(path)), '.gitignore'), '*\n', { flag: 'wx' }).catch(() => undefined);
  await writeNew(path, `${JSON.stringify(file, null, 2)}\n`).catch(async (cause: unknown) => {
    throw codeOf(cause) === 'EEXIST' ? await taken(runId, path, openStoreToRun(flags, io)) : refused(path, cause);
  });
  // The limits are those of the file: flags of a later retry could not raise them.
  return runFile(path, { ...flags, ...noLimits(), runId }, io, ending).catch(async (error: unknown) => {
    if (hasCode(error, 'RUN_EXISTS')) await rm(path, { force: true });
    throw error;
  });
}

// --- internal ---

function estimateOf({ estimateCost, estimateTokens }: FleetFlags): FleetFile['estimate'] {
  if (estimateCost === undefined && estimateTokens === undefined) return undefined;
  return {
    ...(estimateCost !== undefined && { costUsd: estimateCost }),
    ...(estimateTokens !== undefined && { tokens: estimateTokens }),
  };
}

function noLimits(): Readonly<Record<keyof LimitFlags, undefined>> {
  return { maxCost: undefined, maxTokens: undefined, maxAttempts: undefined, timeout: undefined, deadline: undefined };
}

function noAgent(): PhasegateError {
  return new PhasegateError('DEFINITION_INVALID', 'Cannot choose an agent as none is installed', {
    hint: `Install ${KNOWN_AGENTS.join(', ')}, or name one: --agent acp:<line> or --agent command:<line>.`,
  });
}

function nothingToDo(): PhasegateError {
  return new PhasegateError('DEFINITION_INVALID', 'Cannot start a fleet as there is neither a goal nor a plan', {
    hint: 'Name the goal: phasegate fleet "Add a login page"; or a plan: phasegate fleet --plan plan.json',
  });
}

function bothGiven(): PhasegateError {
  return new PhasegateError('DEFINITION_INVALID', 'Cannot start a fleet as it has both a goal and a plan', {
    hint: 'Leave one out: the plan names its goal itself.',
  });
}

async function taken(runId: string, path: string, opened: OpenStore | undefined): Promise<PhasegateError> {
  const runs = (await opened?.store.runs()) ?? [];
  await opened?.store.close();
  const isThere = runs.some((run) => run.runId === runId);
  const fork = runs.find(({ source }) => source === path);
  const problem = isThere
    ? 'there is one of that id'
    : fork
      ? `run ${runId} was removed, and its fork ${fork.runId} still uses the definition`
      : `the store has no run ${runId}, but a definition of it is there`;
  const resume = `Continue it: phasegate resume ${argument(runId)}${opened ? storeArgument(opened) : ''}. Or give`;
  return new PhasegateError('FILE_EXISTS', `Cannot start fleet ${runId} as ${problem}: ${path}`, {
    hint: `${isThere ? resume : 'Give'} another --run-id.`,
  });
}

function refused(path: string, cause: unknown): PhasegateError {
  return new PhasegateError('FILE_UNREADABLE', `Cannot write the fleet to "${path}": ${errorInfo(cause).message}`, {
    hint: 'Change to a folder that you may write to.',
    cause,
  });
}
