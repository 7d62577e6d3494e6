/**
 * The parts of phasegate that need Node.
 *
 * @module
 */
export { command, type CommandHandler } from './actors/command/command.ts';
export { commandCheck, type CommandCheckOptions } from './actors/command/command-check.ts';
export type { CommandLine, CommandOptions, CommandOutput } from './actors/command/command-line.ts';
export type { CheckKind } from './actors/command/failure-count.ts';
export { noMergeConflicts, nonEmptyDiff, type DiffOptions, type GitOptions } from './actors/command/git-checks.ts';
export type { Check } from './model/handlers/phase.ts';
export type { CommandContext, CommandStdin } from './actors/command/command-env.ts';
