/** All paths of a question for permission, as an agent of ACP states them. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createUpdateReader } from '../../src/acp/updates.ts';
import type { PermissionPolicy } from '../../src/agents.ts';
import { decidePermission } from '../../src/agents/permission-decision.ts';
import { folderOfTest } from './rig.ts';

const diff = (path: string) => ({ type: 'diff', path, newText: 'x' });
const many = (last: string) => [...Array.from({ length: 200 }, (_, at) => ({ path: `${at}` })), { path: last }];

/** Decides an edit in a directory with links, with all updates of its call. A person allows what is asked. */
async function decided(permissions: PermissionPolicy, ...calls: readonly object[]) {
  const folder = folderOfTest();
  const cwd = join(folder, 'work');
  mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
  mkdirSync(join(folder, 'other', '.git', 'hooks'), { recursive: true });
  mkdirSync(join(folder, 'beside', 'deep'), { recursive: true });
  symlinkSync(join(cwd, '.git', 'hooks'), join(cwd, 'hooks'));
  symlinkSync(join(folder, 'other', '.git', 'hooks'), join(cwd, 'others'));
  symlinkSync(join(folder, 'beside', 'deep'), join(cwd, 'deep'));
  symlinkSync('.git/hooks/pre-commit', join(cwd, 'dangling'));
  symlinkSync('../beside/new', join(cwd, 'leaving'));
  symlinkSync('loop', join(cwd, 'loop'));
  const reader = createUpdateReader();
  const [tool] = calls.map((call) => reader.tool({ toolCallId: '1', kind: 'edit', title: 'Edit', ...call })).slice(-1);
  const { kind = 'edit', title = '', paths = [] } = tool ?? {};
  const asked: string[] = [];
  const answer = await decidePermission(
    permissions,
    { kind, title, paths, details: '', cwd, access: 'write' },
    (question) => {
      asked.push(question.title);
      return Promise.resolve('allow');
    },
  );
  return asked.length > 0 ? 'asked' : answer;
}

const edit = (path: string) => ({ locations: [{ path }] });
const read = (path: string) => ({ ...edit(path), kind: 'read' });

it.each<readonly [string, PermissionPolicy, string, object]>([
  ['two diffs inside', {}, 'allow', { content: [diff('a'), diff('b')] }],
  ['two diffs, the second outside', {}, 'reject', { content: [diff('a'), diff('/etc/passwd')] }],
  ['two diffs, the second in .git', { outside: 'allow' }, 'reject', { content: [diff('a'), diff('.git/config')] }],
  ['200 paths inside', {}, 'allow', { locations: many('a').slice(1) }],
  ['more paths than are looked at', {}, 'reject', { locations: many('a') }],
  ['more paths, with "ask"', { outside: 'ask' }, 'reject', { locations: many('.git/config') }],
  ['a second diff outside, with "ask"', { outside: 'ask' }, 'asked', { content: [diff('a'), diff('/etc/passwd')] }],
  ['more paths, with "allow"', { outside: 'allow' }, 'reject', { locations: many('.git/config') }],
  ['a link to .git, with "allow"', { outside: 'allow' }, 'reject', edit('hooks/pre-commit')],
  ["a link to another repository's .git", { outside: 'ask' }, 'reject', edit('others/pre-commit')],
  ['a link to a file of .git that does not exist', {}, 'reject', edit('dangling')],
  ['a link to a file outside that does not exist', {}, 'reject', edit('leaving')],
  ['a link to itself', { outside: 'allow' }, 'reject', edit('loop')],
  ['a folder above a link', {}, 'reject', edit('deep/../a')],
  ['a file outside, with "allow"', { outside: 'allow' }, 'allow', edit('leaving')],
  ['a file of .git to read', {}, 'reject', read('.git/config')],
  ['a file of .git to read, with "allow"', { outside: 'allow' }, 'allow', read('.git/config')],
])('%s', async (_, permissions, expected, call) => {
  expect(await decided(permissions, call)).toBe(expected);
});

it('is about the paths of all updates of its call', async () => {
  expect(await decided({}, { content: [diff('a'), diff('/etc/passwd')] }, edit('a'))).toBe('reject');
  expect(await decided({}, { locations: many('a').slice(1) }, edit('/etc/passwd'))).toBe('reject');
});
