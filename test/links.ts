/**
 * A check of the links in pages.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** URLs of files of the repository, for pages that are read outside of it. */
const HOSTED =
  /^https:\/\/(?:github\.com\/phasegate\/phasegate\/(?:blob|tree)|raw\.githubusercontent\.com\/phasegate\/phasegate)\/main\//u;

/**
 * Returns the links of a page that lead to no file or heading. It looks up URLs of this repository in the repository.
 *
 * @param root The folder with the page and the files that it links to.
 */
export async function brokenLinks(root: string, page: string): Promise<readonly string[]> {
  const content = (await readFile(join(root, page), 'utf8')).replace(/^```\w*\n[^]*?^```$/gmu, '');
  const links = [...content.matchAll(/\]\(([^)\s]+)\)/gu)].flatMap((match) => match[1] ?? []);
  const broken = await Promise.all(links.map(async (link) => ((await leadsSomewhere(root, page, link)) ? [] : [link])));
  return broken.flat().map((link) => `${page}: ${link}`);
}

/** True if a link of a page leads to a file, and to a heading in it if it names one. Pages of others are not looked up. */
export async function leadsSomewhere(root: string, page: string, link: string): Promise<boolean> {
  if (HOSTED.test(link)) return leadsSomewhere(repository, 'README.md', link.replace(HOSTED, ''));
  if (/^[a-z]+:/u.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : relative(root, join(root, dirname(page), path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || anchorsOf(await readFile(join(root, file), 'utf8')).has(anchor);
}

// --- internal ---

/** Returns the anchors that code hosts generate for headings. */
function anchorsOf(content: string): ReadonlySet<string> {
  const headings = [...content.matchAll(/^#+ (.+)$/gmu)].flatMap((match) => match[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
