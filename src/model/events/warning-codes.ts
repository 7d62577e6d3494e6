/**
 * Codes of warnings (`phase.warned`) that other parts look for.
 *
 * @module
 */

/** An agent gave a command that only a person may give, and was refused. */
export const AGENT_COMMAND_REFUSED = 'AGENT_COMMAND_REFUSED';

/** A fact about the repository or the plan that people should know when a run starts. */
export const WORKSPACE_NOTE = 'WORKSPACE_NOTE';
