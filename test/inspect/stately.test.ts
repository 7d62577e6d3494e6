import { describe, expect, it } from 'vitest';
import { loadStately } from '../../src/inspect/stately-adapter.ts';

describe('loadStately()', () => {
  it('names the missing package, and the command that installs it', async () => {
    // The package does not exist, and is loaded as the real one is.
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

  it('passes other failures on', async () => {
    await expect(loadStately(() => Promise.reject(new SyntaxError('broken')))).rejects.toThrow('broken');
  });
});
