/**
 * Agents that speak the Agent Client Protocol. It needs the package `@agentclientprotocol/sdk`.
 *
 * @module
 */
export type { Agent } from './agents/agent.ts';
export { acpAgent, type AcpAgentOptions } from './acp/acp-agent.ts';
