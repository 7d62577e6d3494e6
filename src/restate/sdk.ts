/**
 * The SDK of Restate, which is optional.
 *
 * @module
 */
import { refuseMissing } from '../model/errors/phasegate-error.ts';

/** The SDK. */
export type Sdk = typeof import('@restatedev/restate-sdk');

/** Loads the SDK. @throws PhasegateError `PACKAGE_MISSING` if it is not installed. */
export async function loadSdk(load: () => Promise<Sdk> = importSdk): Promise<Sdk> {
  completePromise();
  const name = '@restatedev/restate-sdk';
  return load().catch(refuseMissing(name, 'serve runs to Restate', `${name}@^1.17.2`));
}

// --- internal ---

function importSdk(): Promise<Sdk> {
  // The package is optional. The comments keep bundlers from resolving it, which would fail where it is missing.
  return import(/* webpackIgnore: true */ /* @vite-ignore */ '@restatedev/restate-sdk');
}

/** Adds `Promise.withResolvers`, which the SDK calls, and which Node 20 lacks. */
function completePromise(): void {
  if ('withResolvers' in Promise) return;
  Object.defineProperty(Promise, 'withResolvers', {
    configurable: true,
    writable: true,
    value() {
      let settle: object = {};
      const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
      return { ...settle, promise };
    },
  });
}
