/**
 * Which phasegate this is.
 *
 * @module
 */
import { createRequire } from 'node:module';

/** The version of the package. */
export function version(): string {
  const manifest: unknown = createRequire(import.meta.url)('phasegate/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
