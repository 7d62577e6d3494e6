#!/usr/bin/env node
import * as nodeModule from 'node:module';

// Node keeps compiled code on disk from 22.8 on, if it is asked before the code is loaded. So the next command starts sooner.
if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')
  nodeModule.enableCompileCache();

// Not awaited: Node warns if a module still awaits when nothing is left to do.
void import('./start.ts').then(({ start }) => start());
