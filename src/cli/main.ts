#!/usr/bin/env node
import { runProgram } from './program.ts';

const code = await runProgram(process.argv.slice(2));
// Handles that a pipeline has left open must not keep a finished run alive.
process.stdout.write('', () => process.exit(code));
