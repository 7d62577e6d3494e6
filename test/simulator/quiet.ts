/**
 * Silence of XState's development build, which warns once per action of every phase.
 *
 * @module
 */
import { afterAll, beforeAll } from 'vitest';

/** Drops warnings during the tests of a file. A spy would keep each. */
export function withoutWarnings(): void {
  const { warn } = console;
  beforeAll(() => void (console.warn = () => undefined));
  afterAll(() => void (console.warn = warn));
}
