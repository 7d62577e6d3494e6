/**
 * Kills a command at its steps, starts it again, and examines what is left.
 *
 * @module
 */
import type { Ground } from './ground.ts';
import { killedAt } from './killed.ts';

/** The expectations of a sweep. Each returns problems. */
interface Expected {
  /** Examines the folder after a kill. */
  readonly examine: () => Promise<readonly string[]>;
  /** Examines the folder after the command has ended by itself. */
  readonly end: () => Promise<readonly string[]>;
  /** Returns true if a killed command has done all of its work, and is not started again. @default never */
  readonly isDone?: () => Promise<boolean>;
}

/** Kills a command at up to 12 of its steps, or up to 60 in `npm run test:deep`. */
export async function sweepCommand(
  { cwd, command, restore }: Ground,
  args: readonly string[],
  { examine, end, isDone }: Expected,
): Promise<{ readonly kills: number; readonly problems: readonly string[] }> {
  const { steps, code, output } = await killedAt(-1, args, cwd);
  const problems = code === 0 ? (await end()).map((one) => `without a kill: ${one}`) : [output];
  const every = Math.ceil(steps.length / (process.env['PHASEGATE_SCENARIOS'] === undefined ? 12 : 60));
  let kills = 0;
  for (let nth = 0; nth < steps.length; nth += every) {
    await restore();
    const { isKilled } = await killedAt(nth, args, cwd);
    const found = isKilled ? [...(await examine())] : ['it was not killed'];
    kills += 1;
    if (!(await isDone?.())) {
      const again = await command(...args);
      if (again.code !== 0 || again.stderr !== '') found.push(`again: ${again.code} ${again.stderr}`);
    }
    found.push(...(await end()).map((one) => `in the end: ${one}`));
    problems.push(...found.map((one) => `killed before step ${nth}, ${steps[nth]}: ${one}`));
  }
  return { kills, problems };
}
