/**
 * Which phasegate this is.
 *
 * @module
 */
import { loadInstalled } from '../store/installed.ts';

/** The version of the package; '' where all of it is in a bundle. */
export function version(): string {
  const manifest: unknown = loadInstalled('phasegate/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
