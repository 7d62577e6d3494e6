/**
 * Codes of warnings (`phase.warned`) that other parts look for.
 *
 * @module
 */

/** An agent gave a command that only a person may give, and was refused. */
export const AGENT_COMMAND_REFUSED = 'AGENT_COMMAND_REFUSED';

/** A fact about the repository that agents are told, such as that uncommitted work is not there. */
export const WORKSPACE_NOTE = 'WORKSPACE_NOTE';
