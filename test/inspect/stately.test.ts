import { describe, expect, it } from 'vitest';
import { loadStately } from '../../src/inspect/stately-adapter.ts';

describe('loadStately()', () => {
  it('says which package is missing, and how it is installed', async () => {
    // The name of a package that is not there, loaded as the real one is.
    const missing = '@statelyai/inspect-that-is-not-there';
    await expect(loadStately(() => import(/* @vite-ignore */ missing))).rejects.toMatchObject({
      code: 'PACKAGE_MISSING',
      message: [
        'Cannot inspect a run as the package "@statelyai/inspect" is not installed',
        'Run `npm install @statelyai/inspect`.',
        'Docs: docs/errors.md#PACKAGE_MISSING',
      ].join('\n'),
    });
  });

  it('does not take another failure for a missing package', async () => {
    await expect(loadStately(() => Promise.reject(new SyntaxError('broken')))).rejects.toThrow('broken');
  });
});
