import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { phasegate, repository } from './cli.ts';

const PAGE = /^More: https:\/\/github\.com\/phasegate\/phasegate\/blob\/main\/docs\/([\w.-]+)(?:#([\w-]+))?$/mu;

/** Returns the help of a command. */
async function helpOf(path: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await phasegate([...path, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Returns the names of the commands in a help, each with the heading above it. */
function commandsIn(help: string): readonly { readonly name: string; readonly group: string }[] {
  const [, rest = ''] = /^Options:\n(?:  .*\n)+\n((?:.|\n)*?)^Examples:$/mu.exec(help) ?? [];
  return rest.split('\n\n').flatMap((block) => {
    const [group = '', ...lines] = block.trimEnd().split('\n');
    return lines.flatMap((line) =>
      [...(/^ {2}([\w|]+) /u.exec(line)?.slice(1, 2) ?? [])].map((name) => ({ name, group })),
    );
  });
}

/** Returns every command with its path and its help. */
async function everyHelp(): Promise<readonly { readonly path: readonly string[]; readonly help: string }[]> {
  const pages: { readonly path: readonly string[]; readonly help: string }[] = [];
  const look = async (path: readonly string[]) => {
    const help = await helpOf(path);
    pages.push({ path, help });
    for (const { name } of commandsIn(help)) if (name !== 'help') await look([...path, name]);
  };
  await look([]);
  return pages;
}

/** Returns the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/gu, '')
    .trim()
    .replaceAll(/\s/gu, '-');
}

describe('--help', () => {
  it('has every command that docs/cli.md lists at its top, and no other', async () => {
    const [, list = ''] =
      /^# Command line\n\n```sh\n([^`]*)```/u.exec(await readFile(join(repository, 'docs/cli.md'), 'utf8')) ?? [];
    const listed = [...list.matchAll(/^phasegate (\w+)/gmu)].map(([, name = '']) => name);
    const names = commandsIn(await helpOf([])).map(({ name }) => name);
    expect(new Set(listed)).toEqual(new Set(names.filter((name) => name !== 'help')));
  });

  it.each([
    [['help', 'rnu'], "error: unknown command 'rnu'\n(Did you mean run?)"],
    [['rnu', '--help'], "error: unknown command 'rnu'\n(Did you mean run?)"],
    [['help', 'nonsense'], "error: unknown command 'nonsense'"],
    [['inbox', 'help', 'asnwer'], "error: unknown command 'asnwer'\n(Did you mean answer?)"],
  ])('works for every command: %j', async (args, problem) => {
    const { code, stdout, stderr } = await phasegate(args);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `${problem}\nAdd --help to see the commands and options.\n`,
    });
  });

  it('has every command under a descriptive heading', async () => {
    const groups = new Map<string, string[]>();
    for (const { name, group } of commandsIn(await helpOf([]))) groups.set(group, [...(groups.get(group) ?? []), name]);
    expect([...groups]).toMatchInlineSnapshot(`
      [
        [
          "Write a pipeline:",
          [
            "init",
            "check",
            "test",
            "graph",
          ],
        ],
        [
          "Run a pipeline:",
          [
            "run",
            "work",
            "resume",
            "retry",
            "fork",
            "cancel",
          ],
        ],
        [
          "Look at runs:",
          [
            "ls",
            "events",
            "show",
            "report",
            "doctor",
            "verify",
            "coverage",
            "compare",
            "search",
          ],
        ],
        [
          "Answer questions:",
          [
            "ui",
            "inbox",
          ],
        ],
        [
          "Manage stored runs:",
          [
            "rm",
            "gc",
            "backup",
            "move",
            "export",
            "import",
            "memory",
          ],
        ],
        [
          "Have agents work:",
          [
            "fleet",
            "plan",
            "apply",
            "diff",
            "workspaces",
          ],
        ],
        [
          "Set up your shell:",
          [
            "completion",
          ],
        ],
        [
          "Commands:",
          [
            "help",
          ],
        ],
      ]
    `);
  });

  it('groups the options of a command that has many', async () => {
    expect((await helpOf(['run'])).match(/^\S.*:$/gmu)).toMatchInlineSnapshot(`
      [
        "Arguments:",
        "Input:",
        "Limits:",
        "Output:",
        "Records:",
        "Options:",
        "People:",
        "Examples:",
      ]
    `);
    expect((await helpOf(['inbox', 'answer'])).match(/^\S.*:$/gmu)).toMatchInlineSnapshot(`
      [
        "Records:",
        "The answer, one of:",
        "Options:",
        "Examples:",
      ]
    `);
  });

  it('has a valid example of every command, and a link to an existing heading', async () => {
    const all = await everyHelp();
    expect(all.length).toBeGreaterThan(25);
    for (const { path, help } of all) {
      const [, block = ''] = /^Examples:\n((?:  .*\n)+)/mu.exec(help) ?? [];
      const examples = block
        .trimEnd()
        .split('\n')
        .map((line) => line.trim());
      expect(examples.length, path.join(' ')).toBeGreaterThan(0);
      for (const example of examples) {
        expect(example).toMatch(new RegExp(`^phasegate ${path.join(' ')}`, 'u'));
        // Flags in the help of a command are those that its parser knows.
        const words = [...example.matchAll(/"([^"]*)"|(\S+)/gu)].map(([word, quoted]) => quoted ?? word).slice(1);
        for (const flag of words.filter((word) => word.startsWith('-')))
          expect(await helpOf(words.slice(0, words.indexOf(flag))), `${example}: ${flag}`).toMatch(
            new RegExp(`(?:^|[ ,])${flag}(?:$|[ ,])`, 'mu'),
          );
      }
      const [, page = '', anchor] = PAGE.exec(help) ?? [];
      expect(page, path.join(' ')).not.toBe('');
      const text = await readFile(join(repository, 'docs', page), 'utf8');
      const anchors = [...text.matchAll(/^#+ (.*)$/gmu)].map(([, heading = '']) => anchorOf(heading));
      if (anchor !== undefined) expect(anchors, page).toContain(anchor);
    }
  });
});
