#!/usr/bin/env node
import { watchOutput } from './output.ts';
import { keepOwnLogSmall } from './own-log.ts';
import { runProgram } from './program.ts';

keepOwnLogSmall();
const output = watchOutput();
const code = await output.end(await runProgram(process.argv.slice(2)));
// Handles that a pipeline has left open must not keep a finished run alive.
process.exit(code);
