/**
 * The static files of the app.
 *
 * @module
 */
import type { Context } from 'hono';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundlerAdvice, ownFolder } from '../../store/installed.ts';
import { refusalOf } from './error-response.ts';
import type { Env } from './env.ts';

/**
 * The folder of the app in the built package; `undefined` if it cannot be found. A bundle contains no pages, so they are looked
 * for in the installed package.
 */
export function builtApp(): string | undefined {
  const installed = ownFolder();
  return installed === undefined ? undefined : join(installed, 'dist', 'dashboard');
}

/**
 * Serves the files at the top of a folder, and those in its `assets`, whose names change with their content. Serves nothing for
 * `undefined`.
 */
export function createAssets(folder: string | URL | undefined): (c: Context<Env>) => Promise<Response> {
  const root = typeof folder === 'string' ? pathToFileURL(`${folder}/`) : folder;
  return async (c) => {
    const place = PLACE.exec(c.req.path);
    const [, inAssets, name = place ? 'index.html' : ''] = place ?? [];
    const type = TYPES[extname(name)];
    const content =
      type === undefined || root === undefined ? undefined : await contentOf(new URL(`${inAssets ?? ''}${name}`, root));
    if (type === undefined || content === undefined)
      return c.req.path === '/' ? c.html(missingPages(), 404) : missing(c);
    c.header('content-type', type);
    c.header('cache-control', inAssets === undefined ? 'no-cache' : 'private, max-age=31536000, immutable');
    return c.body(content);
  };
}

// --- internal ---

/** The paths that may be requested. No name leaves the folder: none begins with a dot, and none has a slash or a percent sign. */
const PLACE = /^\/(assets\/)?(?:(\w[\w.-]*))?$/u;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};

function missingPages(): string {
  const text = ['The pages of the dashboard are missing in this installation. Its API works.', bundlerAdvice()]
    .flatMap((line) => (line === undefined ? [] : [`<p>${line}</p>`]))
    .join('\n');
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>phasegate</title></head><body>${text}</body></html>\n`;
}

async function contentOf(file: URL): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(file));
  } catch {
    return undefined;
  }
}

function missing(c: Context<Env>): Response {
  return c.json(refusalOf(`Cannot find ${c.req.path}`), 404);
}
