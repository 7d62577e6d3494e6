/**
 * What phasegate offers on Node only.
 *
 * @module
 */
export {
  command,
  commandCheck,
  type CommandHandler,
  type CommandLine,
  type CommandOptions,
  type CommandOutput,
} from './actors/command.ts';
export type { CommandContext, CommandStdin } from './actors/command-context.ts';
