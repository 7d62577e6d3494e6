#!/usr/bin/env node
import * as nodeModule from 'node:module';

/** `node:module`, of which Node 22.8 and later have more. */
const { enableCompileCache }: { readonly builtinModules: unknown; readonly enableCompileCache?: () => unknown } =
  nodeModule;

// Keeps compiled code on disk, so that the next command starts sooner. Asked before the code is loaded.
enableCompileCache?.();

// Not awaited: Node warns if a module still awaits when nothing is left to do.
void import('./start.ts').then(({ start }) => start());
