/**
 * What phasegate offers on Node only.
 *
 * @module
 */
export { command, type CommandHandler } from './actors/command.ts';
export { commandCheck, type CommandCheckOptions } from './actors/command-check.ts';
export type { CommandLine, CommandOptions, CommandOutput } from './actors/command-line.ts';
export type { CheckKind } from './actors/failure-count.ts';
export { noMergeConflicts, nonEmptyDiff, type DiffOptions, type GitOptions } from './actors/git-checks.ts';
export type { CommandContext, CommandStdin } from './actors/command-context.ts';
