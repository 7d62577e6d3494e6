/**
 * Loading of packages and files at run time, even if a bundler has moved this code to another file.
 *
 * @module
 */
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Advice if something is not found because of a bundler; `undefined` if this code is not bundled. */
export function bundlerAdvice(): string | undefined {
  return isBundled()
    ? "phasegate is bundled here: leave it out of the bundle. Next takes `serverExternalPackages: ['phasegate']`, esbuild `external: ['phasegate']`; https://github.com/phasegate/phasegate/blob/main/docs/bundlers.md has the line for others."
    : undefined;
}

/** Loads a package, or a file of one. @returns `undefined` if it is not installed, or does not load. */
export function loadInstalled(name: string): unknown {
  for (const place of places()) {
    try {
      return requireAt(place)(name);
    } catch {
      // It may be found from the next place.
    }
  }
  return undefined;
}

/** Finds the file of a package that {@link loadInstalled} loads. @returns `undefined` if it is not installed. */
export function findInstalled(name: string): string | undefined {
  for (const place of places()) {
    try {
      return requireAt(place).resolve(name);
    } catch {
      // It may be found from the next place.
    }
  }
  return undefined;
}

/** The folder that this package is installed in; `undefined` if all of it is in a bundle. */
export function ownFolder(): string | undefined {
  for (const place of places()) {
    const manifest = manifestFrom(place);
    if (manifest !== undefined) return dirname(manifest);
  }
  return undefined;
}

// --- internal ---

/** The file that contains this code. */
function ownFile(): string | undefined {
  const url: unknown = import.meta.url;
  return typeof url === 'string' && url.startsWith('file:') ? fileURLToPath(url) : undefined;
}

/** True if this code is outside of its package: a bundler has put it into a file of a program. */
function isBundled(): boolean {
  const own = ownFile();
  const manifest = own === undefined ? undefined : manifestFrom(own);
  return own === undefined || manifest === undefined || !own.startsWith(`${dirname(manifest)}${sep}`);
}

/** Files from which packages are resolved. A bundle also tries the program and the working directory, as it is part of that program. */
function* places(): Generator<string> {
  const own = ownFile();
  if (own !== undefined) yield own;
  if (!isBundled()) return;
  const [, program] = process.argv;
  const starts = [...(program === undefined ? [] : [program]), join(process.cwd(), 'index.js')];
  for (const start of starts) {
    yield start;
    const manifest = manifestFrom(start);
    if (manifest !== undefined) yield manifest;
  }
}

function manifestFrom(place: string): string | undefined {
  try {
    return requireAt(place).resolve('phasegate/package.json');
  } catch {
    return undefined;
  }
}

/** Uses a call that bundlers do not recognize. Otherwise they would try to resolve the package themselves. */
function requireAt(place: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(place);
}
