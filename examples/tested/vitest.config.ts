import { coverageReporter } from 'phasegate/testing';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default', coverageReporter({ threshold: 30 })],
    // Some tests rehearse the pipeline a hundred times.
    testTimeout: 60_000,
  },
});
