/**
 * Loading of pipelines from YAML files.
 *
 * @module
 */
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Pipeline } from '../../../model/definition/define.ts';
import { PipelineInvalidError, type Problem } from '../../../model/definition/pipeline-invalid-error.ts';
import { PhasegateError } from '../../../model/errors/phasegate-error.ts';
import { counted, cutList } from '../../../model/values/counts.ts';
import { TEXT_LIMITS } from '../../../model/values/text-limits.ts';
import { utf8In } from '../../options/parse-json.ts';
import { pageOf } from '../../terminal/doc-pages.ts';
import type { LoadedPipeline } from '../load-module.ts';
import { agentProblems, reservedNames, withoutAgents } from './agent-problems.ts';
import { buildPipeline } from './build.ts';
import { readYaml, type FileProblem, type YamlDocument } from './document.ts';
import { definitionProblems, shapeProblems } from './problems.ts';
import { pipelineFileSchema, type PipelineFile } from './schema.ts';
import { validPartOf } from './valid-part.ts';

/**
 * Loads a pipeline file.
 *
 * @param file The file name that the user gave.
 * @param path The absolute path of the file. Commands run in its directory.
 * @throws PhasegateError with every problem, its line and column, and the line itself; `TEXT_TOO_LONG` if the file is too large.
 */
export async function loadYaml(file: string, path: string): Promise<LoadedPipeline> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) throw tooLong(file, `${size} bytes`);
  return loadedOf(utf8In(await readFile(path), `"${file}"`), file, dirname(path));
}

/** Makes the pipeline of the text of a file. @throws PhasegateError as {@link loadYaml} does. */
export function pipelineOf(source: string, file: string, directory: string): Pipeline {
  return loadedOf(source, file, directory).pipeline;
}

// --- internal ---

function loadedOf(source: string, file: string, directory: string): LoadedPipeline {
  if (source.length > TEXT_LIMITS.yaml) throw tooLong(file, `${source.length} characters`);
  const document = readYaml(source.replace(/^\uFEFF/u, ''));
  if (document.problems.length > 0) throw invalid(file, document, document.problems);
  const parsed = pipelineFileSchema.safeParse(document.value, { reportInput: true });
  if (!parsed.success) {
    const shape = shapeProblems(document, parsed.error.issues);
    throw invalid(file, document, [...shape, ...restOf(document, directory)]);
  }
  const agents = agentProblems(document, parsed.data, directory);
  if (agents.length > 0) {
    const others = definitionProblems(document, problemsOf(parsed.data, directory));
    throw invalid(file, document, [...agents, ...others]);
  }
  const built = build(parsed.data, directory);
  if ('pipeline' in built) return { pipeline: built.pipeline, tags: parsed.data.tags };
  throw invalid(file, document, definitionProblems(document, built.problems));
}

/** The most bytes that a file may have: a UTF-16 code unit takes at most 3 bytes. */
const MOST_BYTES = 3 * TEXT_LIMITS.yaml;

/** Creates the error for a file that is too long. @param length The length with its unit. */
function tooLong(file: string, length: string): PhasegateError {
  const problem = `Cannot load "${file}" as it has ${length}, and ${TEXT_LIMITS.yaml} characters are the most`;
  return new PhasegateError('TEXT_TOO_LONG', problem, {
    hint: 'Let commands read long texts from files, or define the pipeline in TypeScript.',
  });
}

/** Finds problems of agents and of the structure in a file that does not match the schema. */
function restOf(document: YamlDocument, directory: string): readonly FileProblem[] {
  const valid = validPartOf(document.value);
  if (!valid) return [];
  const agents = agentProblems(document, valid.file, directory);
  return [
    ...agents,
    ...definitionProblems(
      document,
      problemsOf(valid.file, directory).filter((one) => valid.isOwn(one)),
    ),
  ];
}

/** Returns the problems of the structure of a file whose agents, or names, may be invalid. */
function problemsOf(given: PipelineFile, directory: string): readonly Problem[] {
  // A reserved name would be used twice, which is one problem and not two.
  const file = reservedNames(given).length > 0 ? withoutAgents(given) : given;
  try {
    const built = build(file, directory);
    return 'problems' in built ? built.problems : [];
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
    const built = build(withoutAgents(file), directory);
    return 'problems' in built ? built.problems : [];
  }
}

function build(
  file: PipelineFile,
  directory: string,
): { readonly pipeline: Pipeline } | { readonly problems: readonly Problem[] } {
  try {
    return { pipeline: buildPipeline(file, directory) };
  } catch (error) {
    if (error instanceof PipelineInvalidError) return { problems: error.problems };
    throw error;
  }
}

/** The most problems that the message lists. */
const MOST_PROBLEMS = 20;

function invalid(file: string, document: YamlDocument, problems: readonly FileProblem[]): PhasegateError {
  const inOrder = problems.toSorted((a, b) => a.offset - b.offset);
  const shown = cutList(inOrder, MOST_PROBLEMS, ({ message, offset }) => {
    const { position, excerpt } = document.show(offset);
    return `${file}:${position}: ${message}\n    ${excerpt.replaceAll('\n', '\n    ')}`;
  });
  return new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot load "${file}" as it has ${counted(problems.length, 'problem')}:\n  ${shown.join('\n  ')}`,
    {
      hint: `${pageOf('yaml.md')} lists every key. \`phasegate init yaml\` writes a file that names the JSON Schema for editors.`,
    },
  );
}
