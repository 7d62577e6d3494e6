#!/usr/bin/env node
import { exitCode } from './exit-code.ts';
import { isBrokenPipe } from './interrupt.ts';
import { runProgram } from './program.ts';

let brokenPipe = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: Error) => {
    if (!isBrokenPipe(error)) throw error;
    brokenPipe = true;
  });
}
const code = await runProgram(process.argv.slice(2));
// Handles that a pipeline has left open must not keep a finished run alive.
process.stdout.write('', () => process.exit(brokenPipe && code === exitCode.completed ? exitCode.brokenPipe : code));
