/**
 * Detection of a premature end of the process.
 *
 * @module
 */
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import type { ExitCode } from './exit-code.ts';

/** The cause of a premature end: code called `process.exit()` (`ended`), or the event loop is empty (`asleep`). */
export type EarlyExit = 'ended' | 'asleep';

/**
 * Reports an end of the process before `release()` as an error, so that it does not look like success.
 *
 * @param code The exit code in that case.
 * @param text Returns the message for standard error.
 */
export function watchExit(
  code: ExitCode,
  text: (how: EarlyExit) => string,
  io: Pick<ProgramIo, 'stderr'>,
): { release(): void } {
  let how: EarlyExit = 'ended';
  const asleep = (): void => void (how = 'asleep');
  const report = (): void => {
    process.exitCode = code;
    io.stderr.write(`${stripControls(text(how))}\n`);
  };
  process.once('beforeExit', asleep);
  process.once('exit', report);
  return {
    release() {
      process.off('beforeExit', asleep);
      process.off('exit', report);
    },
  };
}
