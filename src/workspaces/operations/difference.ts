/**
 * The difference of two commits as text of a limited size.
 *
 * @module
 */
import { MOST_FILES, statusOf } from '../git/changes.ts';
import { requireCommit } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { itemsOf, textOf } from '../git/run-git.ts';
import type { Difference, DifferenceFile, DiffOptions } from '../port.ts';

/** Compares two commits. Attributes of the files have no effect, so that an agent cannot hide a change. */
export async function compareCommits(
  repository: Repository,
  { from, to, paths = [], maxBytes = DEFAULT_BYTES }: Omit<DiffOptions, 'signal'>,
): Promise<Difference> {
  const ends = [await requireCommit(repository, from), await requireCommit(repository, to), '--', ...paths];
  const words = ['diff-tree', '-r', '--find-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
  const files = await filesOf(repository, words, ends);
  const all = { files: files.slice(0, MOST_FILES), fileCount: files.length };
  if (maxBytes === 0) return { text: '', isCut: files.length > 0, ...all };
  const { output, isCut } = await repository.git([...words, ...TEXT, ...ends], { maxBytes: MOST_BYTES, cut: true });
  const parts = partsOf(output.toString('utf8'));
  const shared = shareOut(parts, maxBytes);
  return {
    text: `${shared.text}${isCut ? '[… further files left out …]\n' : ''}`,
    isCut: isCut || shared.isCut,
    ...all,
  };
}

/**
 * Cuts parts so that all fit. Small parts stay whole, and large ones are cut to the same size: at the end of a line, with a
 * line that says so.
 */
export function shareOut(
  parts: readonly string[],
  maxBytes: number,
): { readonly text: string; readonly isCut: boolean } {
  const sizes = parts.map((part) => Buffer.byteLength(part));
  const share = fairShare(sizes, maxBytes);
  const cut = parts.map((part, index) => ((sizes[index] ?? 0) > share ? cutPart(part, share) : part));
  return { text: cut.join(''), isCut: sizes.some((size) => size > share) };
}

// --- internal ---

const DEFAULT_BYTES = 256 * 1024;
/** Most bytes of a diff that are looked at. */
const MOST_BYTES = 64 * 1024 * 1024;

const TEXT = ['--patch', '--unified=3', '--src-prefix=a/', '--dst-prefix=b/', '--submodule=short', '--abbrev=12'];

async function filesOf(
  repository: Repository,
  words: readonly string[],
  ends: readonly string[],
): Promise<readonly DifferenceFile[]> {
  const [states, lines] = await Promise.all([
    repository.git([...words, '--name-status', '-z', ...ends]),
    repository.git([...words, '--numstat', '-z', ...ends]),
  ]);
  const counts = countsOf(itemsOf(lines.output));
  const items = itemsOf(states.output);
  const files: DifferenceFile[] = [];
  for (let at = 0; at < items.length; at += 2) {
    const letters = items[at] ?? '';
    const from = /^[RC]/u.test(letters) ? items[++at] : undefined;
    const path = items[at + 1] ?? '';
    const count = counts.get(path) ?? { added: 0, deleted: 0, isBinary: false };
    files.push({
      path: textOf(path),
      status: statusOf(letters),
      ...(from !== undefined && { from: textOf(from) }),
      ...count,
    });
  }
  return files;
}

type Count = Pick<DifferenceFile, 'added' | 'deleted' | 'isBinary'>;

/** Numbers of lines by path. A renamed file has an empty path, then its two paths as items of their own. */
function countsOf(items: readonly string[]): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  for (let at = 0; at < items.length; at++) {
    const [added = '', deleted = '', ...rest] = (items[at] ?? '').split('\t');
    let path = rest.join('\t');
    if (path === '') {
      at += 2;
      path = items[at] ?? '';
    }
    counts.set(path, { added: Number(added) || 0, deleted: Number(deleted) || 0, isBinary: added === '-' });
  }
  return counts;
}

/** Splits a diff by files. A line of a file's content never begins like this, as a mark is in front of it. */
function partsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/^(?=diff --git )/mu);
}

/** Returns the size to which larger parts are cut, so that all parts together fit. */
function fairShare(sizes: readonly number[], max: number): number {
  let left = max;
  const ordered = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ordered.entries()) {
    const share = Math.floor(left / (ordered.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function cutPart(part: string, bytes: number): string {
  const whole = Buffer.from(part);
  const lines = part.split('\n');
  const head = whole.subarray(0, Math.max(0, bytes - MARK_BYTES));
  const end = head.lastIndexOf('\n');
  const kept = end === -1 ? '' : head.subarray(0, end + 1).toString('utf8');
  const shown = kept === '' ? 0 : kept.split('\n').length - 1;
  const title = kept === '' ? `${(lines[0] ?? '').slice(0, 120)}: ` : '';
  const mark = `[… ${title}${lines.length - 1 - shown} lines left out …]\n`;
  // A share may be too small even for the mark.
  return Buffer.byteLength(kept) + Buffer.byteLength(mark) > bytes && kept === '' && bytes < MARK_BYTES
    ? ''
    : `${kept}${mark}`;
}

/** Bytes of the line that says that lines are left out. */
const MARK_BYTES = 200;
