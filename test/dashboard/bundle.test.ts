/**
 * The app as it is built: what browsers are sent, and what it reaches for.
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
    // Measured: 226 000 bytes, of which react-dom is 65 000, @xyflow/react 40 000, and zod, whose schemas the model has, 25 000.
    expect(sent).toBeLessThan(260_000);
  });

  it('is a page, its style, its script and the worker that lays out graphs', () => {
    const kinds = files.map(({ name }) => name.replace(/-[\w-]{8}(?=\.\w+$)/u, '').replaceAll('\\', '/'));
    expect(kinds.toSorted()).toEqual([
      'assets/index.css',
      'assets/index.js',
      'assets/layout-worker.js',
      'icon.svg',
      'index.html',
    ]);
  });

  it('names no other host but in links and in names of namespaces', () => {
    const hosts = code.flatMap(({ text }) =>
      [...text.matchAll(/(?:https?|wss?):\/\/([\w.-]+)/gu)].map(([, host = '']) => host),
    );
    expect([...new Set(hosts)].toSorted()).toEqual(['json-schema.org', 'react.dev', 'reactflow.dev', 'www.w3.org']);
    // Styles and the page load nothing but what is beside them.
    const loads = code
      .filter(({ name }) => !name.endsWith('.js'))
      .flatMap(({ text }) => text.match(/(?:url\(|src=|href=)[^)>\s]+/gu) ?? []);
    expect(loads.filter((one) => !/^(?:src|href)="\/[\w./-]+"$|^url\((?:data:|#)/u.test(one))).toEqual([]);
  });

  it('has no code of Node, and makes no code of text', () => {
    for (const { name, text } of code) {
      expect([name, text.match(/["'`]node:[a-z_/]+["'`]|__vite-browser-external/u)]).toEqual([name, null]);
      // The policy of the page refuses it as well, and the tests in a browser fail where that has to.
      expect([name, text.match(/\beval\(|\bnew Function\b|\bimport\(["'`](?!\.)/u)]).toEqual([name, null]);
      const imported = [...text.matchAll(/\bfrom["'`]([^"'`]+)["'`]/gu)].map(([, from = '']) => from);
      expect([name, imported.filter((from) => builtinModules.includes(from))]).toEqual([name, []]);
    }
  });

  it('has nothing in its page that a policy without inline code refuses', () => {
    const page = code.find(({ name }) => name === 'index.html')?.text ?? '';
    expect(page).toMatch(/<script type="module" crossorigin src="\/assets\//u);
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+=|javascript:/iu);
  });
});

// --- internal ---

/** '' for a folder. */
function readFileIn(name: string): string {
  return /\.\w+$/u.test(name) ? readFileSync(join(assets, name), 'utf8') : '';
}
