/**
 * The built app: the files that browsers receive, and the addresses that it uses.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { assets } from '../browser/dashboard.ts';

const files = readdirSync(assets, { recursive: true, encoding: 'utf8' })
  .map((name) => ({ name, text: readFileIn(name) }))
  .filter(({ text }) => text !== '');
const code = files.filter(({ name }) => /\.(?:js|css|html)$/u.test(name));

describe('the built dashboard', () => {
  it('stays small', () => {
    const sent = code.map(({ text }) => gzipSync(text).byteLength).reduce((sum, size) => sum + size, 0);
    // The limit has room above 306 000 bytes: react-dom has 65 000, @xyflow/react 40 000, the highlighter 22 000, Markdown 18 000,
    // @tanstack/react-virtual 10 000.
    expect(sent).toBeLessThan(315_000);
  });

  it('begins with a small part: the home page and the list of runs', () => {
    const page = code.find(({ name }) => name === 'index.html')?.text ?? '';
    const named = [...page.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/gu)].map(([, name = '']) => name);
    const first = code.filter(({ name }) => name === 'index.html' || named.includes(name.replaceAll('\\', '/')));
    // Each file is a request. The bundler names those that pages share.
    expect(first).toHaveLength(named.length + 1);
    expect(named.length).toBeLessThan(7);
    const sent = first.map(({ text }) => gzipSync(text).byteLength).reduce((sum, size) => sum + size, 0);
    // The limit has room above 86 000 bytes: react-dom has 58 000.
    expect(sent).toBeLessThan(90_000);
    // The library of the graph, Markdown and the highlighter are in files of their own.
    expect(first.filter(({ text }) => /react-flow|hljs|blockquote/u.test(text)).map(({ name }) => name)).toEqual([]);
  });

  it('loads the library of the graph, and its style, only with a graph', () => {
    const having = code.filter(({ text }) => text.includes('react-flow')).map(({ name }) => name);
    expect(having.map((name) => name.replace(/-[\w-]{8}(?=\.\w+$)/u, '').replaceAll('\\', '/')).toSorted()).toEqual([
      'assets/phase-graph.css',
      'assets/phase-graph.js',
    ]);
  });

  it('has no schemas', () => {
    // Every schema of zod has this property.
    expect(code.filter(({ text }) => text.includes('_zod')).map(({ name }) => name)).toEqual([]);
  });

  it('is a page, icons, styles and scripts, with workers for layouts, for code and for the stream', () => {
    const kinds = files.map(({ name }) => name.replace(/-[\w-]{8}(?=\.\w+$)/u, '').replaceAll('\\', '/'));
    // The bundler names the parts that pages share, so only their type is fixed: no pictures, fonts or source maps.
    const isPart = (name: string) => /^assets\/[a-z-]+\.(?:js|css)$/u.test(name);
    expect(kinds.filter((name) => !isPart(name)).toSorted()).toEqual([
      ...['bad', 'busy', 'good', 'warn'].map((tone) => `icon-${tone}.svg`),
      'icon.svg',
      'index.html',
    ]);
    expect(kinds.filter((name) => name.includes('worker.js')).toSorted()).toEqual([
      'assets/highlight-worker.js',
      'assets/layout-worker.js',
      'assets/stream-worker.js',
    ]);
  });

  it('names other hosts only in links and in names of namespaces', () => {
    const hosts = code.flatMap(({ text }) =>
      [...text.matchAll(/(?:https?|wss?):\/\/([\w.-]+)/gu)].map(([, host = '']) => host),
    );
    expect([...new Set(hosts)].toSorted()).toEqual(['github.com', 'react.dev', 'reactflow.dev', 'www.w3.org']);
    // Styles and the page load only files next to them, wherever an application has the page.
    const loads = code
      .filter(({ name }) => !name.endsWith('.js'))
      .flatMap(({ text }) => text.match(/(?:url\(|src=|href=)[^)>\s]+/gu) ?? []);
    expect(loads.filter((one) => !/^(?:src|href)="\.\/[\w./-]+"$|^url\((?:data:|#)/u.test(one))).toEqual([]);
  });

  it('has no code of Node, and evaluates no text', () => {
    for (const { name, text } of code) {
      expect([name, text.match(/["'`]node:[a-z_/]+["'`]|__vite-browser-external/u)]).toEqual([name, null]);
      // The content security policy refuses it as well, and the browser tests fail if the policy has to.
      expect([name, text.match(/\beval\(|\bnew Function\b|\bimport\(["'`](?!\.)/u)]).toEqual([name, null]);
      const imported = [...text.matchAll(/\bfrom["'`]([^"'`]+)["'`]/gu)].map(([, from = '']) => from);
      expect([name, imported.filter((from) => builtinModules.includes(from))]).toEqual([name, []]);
    }
  });

  it('has no inline code in its page, which the policy would refuse', () => {
    const page = code.find(({ name }) => name === 'index.html')?.text ?? '';
    expect(page).toMatch(/<script type="module" crossorigin src="\.\/assets\//u);
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+=|javascript:/iu);
  });
});

// --- internal ---

/** Reads a file of the build; '' for a folder. */
function readFileIn(name: string): string {
  return /\.\w+$/u.test(name) ? readFileSync(join(assets, name), 'utf8') : '';
}
