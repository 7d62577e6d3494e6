/**
 * The contract of stores, as tests for any test runner.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { Awaitable, RunStore } from '../store/port.ts';
import { appendAllCases } from './store/append-all.ts';
import { appendCases } from './store/append.ts';
import { artifactCases } from './store/artifacts.ts';
import { busyCases } from './store/busy.ts';
import { claimCases } from './store/claims.ts';
import { closeCases } from './store/close.ts';
import { damageCases } from './store/damage.ts';
import { eraseCases } from './store/erase.ts';
import { inboxCases } from './store/inbox.ts';
import { leaseCases } from './store/leases.ts';
import { memoryCases } from './store/memories.ts';
import { messageCases } from './store/messages.ts';
import { readCases } from './store/read.ts';
import { readyCases } from './store/ready.ts';
import { removeCases } from './store/remove.ts';
import { runCases } from './store/runs.ts';
import { sharedCases } from './store/shared.ts';
import type { CaseBody, Trial } from './store/trial.ts';

/** The place of a test's store, and its time. */
export interface StorePlace {
  /** Unique for every case: letters, digits and dashes. Stores of the same place share their runs. */
  readonly id: string;
  /** Returns the time in milliseconds since 1970, for leases. It changes only if a case changes it. */
  readonly now: () => number;
}

/** Creates, or opens, the store of a place. The contract closes it. */
export type StoreMaker = (place: StorePlace) => Awaitable<RunStore>;

/** Options of {@link storeCases}. */
export interface ContractOptions {
  /** True if two stores of one place share their runs, also one after the other, as databases do. @default false */
  readonly shared?: boolean | undefined;
  /**
   * Keeps the store of a place busy for writers, as another program does that holds a lock. Returns a function that ends that.
   *
   * @default the store is never busy
   */
  readonly hold?: ((place: StorePlace) => Awaitable<() => Awaitable<void>>) | undefined;
  /**
   * Reads all files of the place, and returns true if one of them has a text. Then a removed run must leave none after `compact`.
   *
   * @default what is removed may stay there for a while
   */
  readonly holds?: ((place: StorePlace, text: string) => Awaitable<boolean>) | undefined;
  /**
   * Replaces a text by one of the same length wherever the store of a place has it, as a faulty disk does. The store is open meanwhile.
   *
   * @default the store is never damaged
   */
  readonly damage?: ((place: StorePlace, text: string, other: string) => Awaitable<void>) | undefined;
}

/** One test. */
export interface StoreCase {
  /** Its subject, such as `append()`. */
  readonly about: string;
  /** Its claim. */
  readonly name: string;
  /** Rejects if the claim does not hold. */
  readonly run: () => Promise<void>;
}

/** Groups and tests, as in vitest, jest and `node:test`. */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** The tests that a store must pass, as a list. */
export function storeCases(make: StoreMaker, options: ContractOptions = {}): readonly StoreCase[] {
  const groups = {
    ...GROUPS,
    ...(options.shared && { 'two stores': sharedCases }),
    ...(options.hold && { 'a busy store': busyCases }),
    ...(options.holds && { 'an erased run': eraseCases }),
    ...(options.damage && { 'a damaged store': damageCases }),
  };
  return Object.entries(groups).flatMap(([about, cases]) =>
    Object.entries(cases).map(([name, body]) => ({ about, name, run: () => tryOut(make, body, options) })),
  );
}

/**
 * Declares the tests that a store must pass.
 *
 * @param make Creates a store without runs, for each test.
 * @param api The test runner's functions. @default the global `describe` and `it`
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import { memoryStore } from 'phasegate';
 * import { runStoreContract } from 'phasegate/testing';
 *
 * runStoreContract(({ now }) => memoryStore({ now }), { describe, it });
 * ```
 */
export function runStoreContract(make: StoreMaker, api: Partial<TestApi> & ContractOptions = {}): void {
  const { describe, it } = { ...globalApi(), ...api };
  if (!describe || !it)
    throw new PhasegateError('STORE_MISUSED', 'Cannot declare tests of a store as there is no global describe and it', {
      hint: 'Pass those of your test runner: runStoreContract(make, { describe, it }).',
    });
  const cases = storeCases(make, api);
  for (const about of new Set(cases.map((one) => one.about))) {
    describe(about, () => {
      for (const { name, run } of cases.filter((one) => one.about === about)) it(name, run);
    });
  }
}

// --- internal ---

const GROUPS: Readonly<Record<string, Readonly<Record<string, CaseBody>>>> = {
  'append()': appendCases,
  'append.all()': appendAllCases,
  'read()': readCases,
  'run() and runs()': runCases,
  'acquire(), renew() and release()': leaseCases,
  'suspend() and ready()': readyCases,
  'claim()': claimCases,
  'inbox() and item()': inboxCases,
  'post() and messages()': messageCases,
  'artifact()': artifactCases,
  'memories() and forget()': memoryCases,
  'remove()': removeCases,
  'close()': closeCases,
};

/** Far from 0, so that code that confuses a time with a duration fails. */
const START = Date.UTC(2026, 0, 1);

let places = 0;

async function tryOut(make: StoreMaker, body: CaseBody, { hold, holds, damage }: ContractOptions): Promise<void> {
  places += 1;
  let time = START;
  const place: StorePlace = { id: `place-${places}`, now: () => time };
  const opened: RunStore[] = [];
  async function open(): Promise<RunStore> {
    const made = await make(place);
    opened.push(made);
    return made;
  }
  try {
    const trial: Trial = {
      store: await open(),
      open,
      now: () => time,
      pass(ms) {
        time += ms;
      },
      hold: async () => (await hold?.(place)) ?? (() => undefined),
      holds: async (text) => (await holds?.(place, text)) ?? false,
      damage: async (text, other) => damage?.(place, text, other),
    };
    await body(trial);
  } finally {
    for (const one of opened) await one.close();
  }
}

function globalApi(): Partial<TestApi> {
  const found: unknown = globalThis;
  return hasApi(found) ? { describe: found.describe, it: found.it } : {};
}

function hasApi(found: unknown): found is TestApi {
  return ['describe', 'it'].every((name) => typeof Reflect.get(Object(found), name) === 'function');
}
