/**
 * Decisions about an agent's questions for permission.
 *
 * @module
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { PermissionAnswer, PermissionPolicy, PermissionQuestion } from './permission.ts';

/**
 * Decides a question: by the rules of the directory, then by the policy, then by its `ask`.
 *
 * Reading is allowed inside the directory. So is changing files in a `write` turn, except in `.git`, whose files are programs to git. A
 * question without paths, or of an unknown kind, is not inside. Links are followed.
 */
export async function decidePermission(
  policy: PermissionPolicy,
  question: PermissionQuestion,
): Promise<PermissionAnswer> {
  if (await isAllowed(policy, question)) return 'allow';
  try {
    return (await policy.ask?.(question)) === 'allow' ? 'allow' : 'reject';
  } catch {
    return 'reject';
  }
}

// --- internal ---

async function isAllowed(policy: PermissionPolicy, question: PermissionQuestion): Promise<boolean> {
  const { kind, access } = question;
  switch (kind) {
    case 'think':
      return true;
    case 'read':
    case 'search':
      return reaches(policy, question);
    case 'edit':
    case 'delete':
    case 'move':
      return access === 'write' && !question.paths.some(isGit) && (await reaches(policy, question));
    case 'execute':
      return policy.commands === 'allow';
    case 'fetch':
      return policy.network === 'allow';
    case 'other':
      return false;
  }
}

/** True if the policy allows all paths. */
async function reaches({ outside }: PermissionPolicy, { paths, cwd }: PermissionQuestion): Promise<boolean> {
  if (paths.length === 0) return false;
  if (outside === 'allow') return true;
  const root = await realPath(cwd);
  const places = await Promise.all(paths.map((path) => realPath(isAbsolute(path) ? path : resolve(cwd, path))));
  return places.every((place) => isWithin(root, place) && !isGit(relative(root, place)));
}

function isWithin(root: string, place: string): boolean {
  const way = relative(root, place);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** True if a path leads into a folder `.git`, in any spelling of a file system that ignores case. */
function isGit(path: string): boolean {
  return path.split(/[/\\]/u).some((part) => part.toLowerCase() === '.git');
}

/** The path without links. The end of a path that does not exist yet is kept. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await realPath(above), basename(path));
  }
}
