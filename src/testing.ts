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
