#!/usr/bin/env node
import * as nodeModule from 'node:module';

/** `node:module`, of which Node 22.8 and later have more. */
const { enableCompileCache }: { readonly builtinModules: unknown; readonly enableCompileCache?: () => unknown } =
  nodeModule;

// Keeps compiled code on disk, so that the next command starts sooner. Asked before the code is loaded.
enableCompileCache?.();

// Editors and scripts ask for the version often, so that alone loads nothing else.
const [only = '', ...more] = process.argv.slice(2);
const load =
  more.length === 0 && ['-V', '--version'].includes(only)
    ? async () => (await import('./print-version.ts')).printVersion()
    : async () => (await import('./start.ts')).start();

// Not awaited: Node warns if a module still awaits when nothing is left to do.
void load();
