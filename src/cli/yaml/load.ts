/**
 * From a YAML file to a pipeline.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Pipeline } from '../../model/define.ts';
import { PhasegateError } from '../../model/errors.ts';
import { PipelineInvalidError } from '../../model/problems.ts';
import { counted } from '../../model/amount-text.ts';
import { buildPipeline } from './build.ts';
import { readYaml, type FileProblem, type YamlDocument } from './document.ts';
import { definitionProblems, shapeProblems } from './problems.ts';
import { pipelineFileSchema } from './schema.ts';

/**
 * Loads a pipeline file.
 *
 * @param file How the user named it.
 * @param path Where it is; commands run in its directory.
 * @throws PhasegateError with every problem, its line and column, and the line itself.
 */
export async function loadYaml(file: string, path: string): Promise<Pipeline> {
  return pipelineOf(await readFile(path, 'utf8'), file, dirname(path));
}

/** The same for the text of a file. */
export function pipelineOf(source: string, file: string, directory: string): Pipeline {
  const document = readYaml(source.replace(/^\uFEFF/u, ''));
  if (document.problems.length > 0) throw invalid(file, document, document.problems);
  const parsed = pipelineFileSchema.safeParse(document.value, { reportInput: true });
  if (!parsed.success) throw invalid(file, document, shapeProblems(document, parsed.error.issues));
  try {
    return buildPipeline(parsed.data, directory);
  } catch (error) {
    if (!(error instanceof PipelineInvalidError)) throw error;
    throw invalid(file, document, definitionProblems(document, error.problems));
  }
}

// --- internal ---

/** As many as one reads before one begins to correct. */
const MOST_PROBLEMS = 20;

function invalid(file: string, document: YamlDocument, problems: readonly FileProblem[]): PhasegateError {
  const inOrder = problems.toSorted((a, b) => a.offset - b.offset);
  const shown = inOrder.slice(0, MOST_PROBLEMS).map(({ message, offset }) => {
    const { position, excerpt } = document.show(offset);
    return `  ${file}:${position}: ${message}\n    ${excerpt.replaceAll('\n', '\n    ')}`;
  });
  const more = problems.length > MOST_PROBLEMS ? [`  and ${problems.length - MOST_PROBLEMS} more`] : [];
  return new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot load "${file}" as it has ${counted(problems.length, 'problem')}:\n${[...shown, ...more].join('\n')}`,
    { hint: 'docs/yaml.md has every key; schema/pipeline.schema.json tells them to editors.' },
  );
}
