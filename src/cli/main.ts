#!/usr/bin/env node
import { watchOutput } from './output.ts';
import { keepOwnLogSmall } from './own-log.ts';
import { ioOfProcess } from './program-io.ts';
import { runProgram } from './program.ts';

keepOwnLogSmall();
const output = watchOutput();
// Not awaited: Node warns of a module that still waits when nothing is left to do, and commands say that themselves.
void runProgram({ argv: process.argv.slice(2), ...ioOfProcess() })
  .then((code) => output.end(code))
  // Handles that a pipeline has left open must not keep a finished run alive.
  .then((code) => process.exit(code));
