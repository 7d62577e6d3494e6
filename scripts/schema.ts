/**
 * Writes the JSON Schema of pipeline files, which editors read, from the schema that the command line uses.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import { pipelineJsonSchema } from '../src/cli/load/yaml/schema.ts';

const target = new URL('../schema/pipeline.schema.json', import.meta.url);
await writeFile(target, await format(JSON.stringify(pipelineJsonSchema()), { parser: 'json', printWidth: 120 }));
