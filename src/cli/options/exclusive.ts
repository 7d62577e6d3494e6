/**
 * Flags that exclude their own negation, such as `--store` and `--no-store`.
 *
 * @module
 */
import type { Command } from 'commander';

/**
 * Refuses a flag together with its negation. Both set one value, so the later one would win in silence. A variable of the environment is
 * no flag.
 *
 * @param name Such as `store`, of a command that has `--store` and `--no-store`.
 */
export function refuseBoth(command: Command, name: string): void {
  const seen = new Set<string>();
  const note = (flag: string, other: string) => {
    seen.add(flag);
    if (seen.has(other)) command.error(`error: option '--${flag}' cannot be used with option '--${other}'`);
  };
  command.on(`option:${name}`, () => note(name, `no-${name}`));
  command.on(`option:no-${name}`, () => note(`no-${name}`, name));
}
