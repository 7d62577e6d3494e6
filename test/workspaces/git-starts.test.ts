/** The one place that starts git for workspaces. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../src', import.meta.url));

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** The text of a first pipeline, whose check names git. It starts nothing. */
const TEMPLATE = 'cli/load/first-pipeline.ts';

/** Files that match a pattern. */
function filesWith(pattern: RegExp, within = ''): readonly string[] {
  return sources.flatMap(({ file, text }) => (file.startsWith(within) && pattern.test(text) ? [file] : [])).toSorted();
}

describe('git', () => {
  it('is started by two files: one for workspaces, and one for folders that the user gives to a check', () => {
    const starts = /(?:spawn|exec\w*|runGit|runProcess|execute)\(\s*\[?\s*['"`]git['"`]|\[\s*['"`]git['"`]\s*[,\]]/u;
    const found = filesWith(starts).filter((file) => file !== TEMPLATE);
    expect(found).toEqual(['actors/command/git-checks.ts', 'workspaces/git/run-git.ts']);
  });

  it('is called with the environment and the settings of a repository only', () => {
    expect(filesWith(/\brunGit\(/u)).toEqual(['workspaces/git/repository.ts', 'workspaces/git/run-git.ts']);
  });

  it('has another git directory than that of the user only in a clone that no agent has seen', () => {
    const others = filesWith(/freshGitDir|\.outside\(/u, 'workspaces/').filter(
      (file) => !file.startsWith('workspaces/git/'),
    );
    expect(others).toEqual(['workspaces/place/clone.ts', 'workspaces/place/linked.ts']);
  });
});

describe('processes', () => {
  it('of workspaces are git, setup, teardown, the mark and the removal of folders, and nothing else', () => {
    expect(filesWith(/node:child_process|runProcess|execa/u, 'workspaces/')).toEqual([
      'workspaces/git/run-git.ts',
      'workspaces/marker/spread.ts',
      'workspaces/marker/trash.ts',
      'workspaces/place/script.ts',
    ]);
  });
});
