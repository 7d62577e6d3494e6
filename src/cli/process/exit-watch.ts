/**
 * The end of the process before its time.
 *
 * @module
 */
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import type { ExitCode } from './exit-code.ts';

/** How the process may end too early: code ends it, or nothing is left that could wake it. */
export type EarlyExit = 'ended' | 'asleep';

/**
 * Watches for an end of the process before something is done: it must not look as if all went well.
 *
 * @param code The exit code then.
 * @param text What to say then, on standard error.
 */
export function watchExit(
  code: ExitCode,
  text: (how: EarlyExit) => string,
  io: Pick<ProgramIo, 'stderr'>,
): { release(): void } {
  let how: EarlyExit = 'ended';
  const asleep = (): void => void (how = 'asleep');
  const tell = (): void => {
    process.exitCode = code;
    io.stderr.write(`${stripControls(text(how))}\n`);
  };
  process.once('beforeExit', asleep);
  process.once('exit', tell);
  return {
    release() {
      process.off('beforeExit', asleep);
      process.off('exit', tell);
    },
  };
}
