/**
 * The input of a run, read from flags and files.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { buffer as readAll } from 'node:stream/consumers';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { isFields } from '../../model/values/json.ts';
import { jsonIn, utf8In } from './parse-json.ts';

/** The flags that give the input of a run. */
export interface InputFlags {
  /** `key=value` for strings, `key:=json` for other values; a later field replaces an earlier one with the same key. */
  readonly input?: readonly string[] | undefined;
  /** A JSON file; `-` is standard input. */
  readonly inputFile?: string | undefined;
}

/** Reads the input of a run: the file's object, overridden by single fields. `undefined` if neither is given. */
export async function readInput({ input = [], inputFile }: InputFlags, io: ProgramIo): Promise<unknown> {
  const base = inputFile === undefined ? undefined : await readJsonFile(inputFile, io);
  if (input.length === 0) return base;
  if (base !== undefined && !isFields(base)) {
    throw new PhasegateError(
      'INPUT_INVALID',
      `Cannot add --input fields to "${inputFile}" as it holds no JSON object`,
      {
        hint: 'Drop --input, or make the file an object.',
      },
    );
  }
  return { ...base, ...Object.fromEntries(input.map(readField)) };
}

// --- internal ---

function readField(field: string): readonly [string, unknown] {
  const [, key, operator = '', value = ''] = /^([^=]*?)(:?=)([^]*)$/u.exec(field) ?? [];
  if (key === undefined || key === '') {
    const found = key === undefined ? 'it has no "="' : `there is no key before the "${operator}"`;
    throw new PhasegateError('INPUT_INVALID', `Cannot read --input ${JSON.stringify(field)} as ${found}`, {
      hint: 'Write --input key=text, or --input key:=json.',
    });
  }
  if (operator === '=') return [key, value];
  const hint = 'Strings need double quotes in JSON; key=text takes a string as it is.';
  return [key, jsonIn(value, 'INPUT_INVALID', `Cannot read --input ${key} as JSON`, hint)];
}

async function readJsonFile(file: string, io: ProgramIo): Promise<unknown> {
  let bytes: Buffer;
  try {
    bytes = file === '-' ? await readAll(io.stdin) : await readFile(placeOf(file, io));
  } catch (cause) {
    throw new PhasegateError('FILE_UNREADABLE', `Cannot read --input-file "${file}": ${errorInfo(cause).message}`, {
      hint: 'Name a JSON file that can be read.',
      cause,
    });
  }
  const where = `--input-file "${file}"`;
  const hint = 'Correct it. Keys and strings need double quotes in JSON.';
  return jsonIn(utf8In(bytes, where), 'INPUT_INVALID', `Cannot read ${where} as JSON`, hint);
}
