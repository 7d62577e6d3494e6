/**
 * What whoever fills a port of phasegate tests it with. On Node only.
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
