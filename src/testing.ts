/**
 * Contract tests for implementations of phasegate's ports. On Node only.
 *
 * @module
 */
export {
  runStoreContract,
  storeCases,
  type ContractOptions,
  type StoreCase,
  type StoreMaker,
  type StorePlace,
  type TestApi,
} from './testing/store-contract.ts';
export { agentCases, type AgentCase } from './testing/agent-contract.ts';
export type { Scene, Stage } from './testing/agents/scene.ts';
export {
  workspaceCases,
  type WorkspaceCase,
  type WorkspaceLab,
  type WorkspaceLabMaker,
} from './testing/workspace-contract.ts';
