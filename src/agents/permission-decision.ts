/**
 * Decisions about an agent's questions for permission.
 *
 * @module
 */
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { PermissionAnswer, PermissionPolicy, PermissionQuestion, PermissionRule } from './permission.ts';

/**
 * Decides a question: by the rules of the directory, then by the policy, then by a person or by its `ask`. A failure rejects.
 *
 * Reading is allowed inside the directory. So is changing files in a `write` turn, except in `.git`, whose files are programs to git. A
 * question without paths, with more than {@link MOST_PATHS}, or of an unknown kind, is not inside. Links are followed.
 *
 * @param person Asks a person; `undefined` if there is none.
 */
export async function decidePermission(
  policy: PermissionPolicy,
  question: PermissionQuestion,
  person?: (question: PermissionQuestion) => Promise<PermissionAnswer>,
): Promise<PermissionAnswer> {
  try {
    const rule = await ruleFor(policy, question);
    if (rule === 'allow') return 'allow';
    const answer = rule === 'ask' && person ? await person(question) : await policy.ask?.(question);
    return answer === 'allow' ? 'allow' : 'reject';
  } catch {
    return 'reject';
  }
}

/** Most paths of a question that is not rejected. */
export const MOST_PATHS = 200;

/** True if a person may be asked. */
export function asksAPerson({ commands, outside, network }: PermissionPolicy): boolean {
  return [commands, outside, network].includes('ask');
}

// --- internal ---

async function ruleFor(policy: PermissionPolicy, question: PermissionQuestion): Promise<PermissionRule> {
  const { commands = 'reject', network = 'reject' } = policy;
  const { kind, access } = question;
  switch (kind) {
    case 'think':
      return 'allow';
    case 'read':
    case 'search':
      return ruleForPaths(policy, question);
    case 'edit':
    case 'delete':
    case 'move':
      return access === 'write' && !question.paths.some(isGit) ? ruleForPaths(policy, question) : 'reject';
    case 'execute':
      return commands;
    case 'fetch':
      return network;
    case 'other':
      // An action of an unknown kind may do all that a command can, and more. Only a person can tell.
      return commands === 'ask' ? 'ask' : 'reject';
  }
}

async function ruleForPaths(
  { outside = 'reject' }: PermissionPolicy,
  { kind, paths, cwd }: PermissionQuestion,
): Promise<PermissionRule> {
  if (paths.length === 0 || paths.length > MOST_PATHS) return 'reject';
  const isReading = kind === 'read' || kind === 'search';
  if (outside === 'allow' && isReading) return 'allow';
  const root = await realPath(cwd);
  // A program may take `..` before it follows a link, or after.
  const stated = paths.flatMap((path) => [resolve(cwd, path), isAbsolute(path) ? path : `${cwd}${sep}${path}`]);
  const places = await Promise.all([...new Set(stated)].map((path) => realPath(path)));
  if (places.some((place) => isGit(isWithin(root, place) ? relative(root, place) : isReading ? '' : place)))
    return 'reject';
  return places.every((place) => isWithin(root, place)) ? 'allow' : outside;
}

function isWithin(root: string, place: string): boolean {
  const way = relative(root, place);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** True if a path leads into a folder `.git`, in any spelling of a file system that ignores case. */
function isGit(path: string): boolean {
  return path.split(/[/\\]/u).some((part) => part.toLowerCase() === '.git');
}

/** Most links to files that do not exist, one after the other. */
const MOST_LINKS = 40;

/** The path without links. The end of a path that does not exist yet is kept. @throws Error if a link leads to itself. */
async function realPath(path: string, links = MOST_LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    if (above === path) return path;
    const folder = await realPath(above, links);
    const target = await readlink(path).catch(() => undefined);
    if (target === undefined) return join(folder, basename(path));
    if (links === 0) throw new Error(`Too many links at ${path}`);
    return realPath(resolve(folder, target), links - 1);
  }
}
