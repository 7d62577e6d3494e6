#!/usr/bin/env node
import { watchOutput } from './process/output.ts';
import { keepOwnLogSmall } from './process/stderr-log.ts';
import { runProgram } from './program.ts';
import { ioOfProcess } from './terminal/program-io.ts';

keepOwnLogSmall();
const output = watchOutput();
// Not awaited: Node warns of a module that still waits when nothing is left to do, and commands say that themselves.
void runProgram({ argv: process.argv.slice(2), ...ioOfProcess() })
  .then((code) => output.end(code))
  // Handles that a pipeline has left open must not keep a finished run alive.
  .then((code) => process.exit(code));
