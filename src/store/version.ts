/**
 * The version of this package.
 *
 * @module
 */
import { loadInstalled } from './installed.ts';

/** Reads the version of the package; '' if the program is bundled. */
export function version(): string {
  const manifest: unknown = loadInstalled('phasegate/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
