/**
 * Packages that an entry needs, and that are optional for the others.
 *
 * @module
 */
import { codeOf, PhasegateError } from './phasegate-error.ts';

/** An optional package. */
export interface OptionalPackage {
  readonly name: string;
  /** Purpose of it, such as `open a Postgres store`. */
  readonly action: string;
  /** Argument of `npm install`. @default the name */
  readonly install?: string;
}

/** Refuses a failed import, as its `catch`. @throws PhasegateError `PACKAGE_MISSING` if the package is not installed; else the error. */
export function refuseMissing({ name, action, install = name }: OptionalPackage): (thrown: unknown) => never {
  return (thrown) => {
    if (!isMissing(thrown, name)) throw thrown;
    throw new PhasegateError('PACKAGE_MISSING', `Cannot ${action} as the package "${name}" is not installed`, {
      hint: `Run \`npm install ${install}\`.`,
      cause: thrown,
    });
  };
}

/** True if an import has failed as the package is not installed. */
export function isMissing(thrown: unknown, name: string): boolean {
  const code = codeOf(thrown);
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && String(thrown).includes(name);
}
