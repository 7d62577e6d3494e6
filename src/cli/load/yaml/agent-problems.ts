/**
 * Problems of the agents in a pipeline file.
 *
 * @module
 */
import type { AgentAccess } from '../../../agents/permission.ts';
import { refuseAccess } from '../../../agents/work/patience.ts';
import { PhasegateError } from '../../../model/errors/phasegate-error.ts';
import { HAND_OVER, OWN_TASKS } from '../../../model/plan/level.ts';
import type { AgentFields } from './agent-schema.ts';
import { agentOf } from './build-agent.ts';
import type { FileProblem, YamlDocument } from './document.ts';
import { lateTasks } from './folder-phase.ts';
import type { PipelineFile } from './schema.ts';
import { workspacesOf } from './workspace-schema.ts';

/** Finds agents that cannot be made or cannot do their work, and work that does not fit the workspaces of the file. */
export function agentProblems(document: YamlDocument, file: PipelineFile, directory: string): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  const report = (message: string, path: readonly PropertyKey[]) =>
    problems.push({ message, offset: document.offsetOf(path) });
  const tried = (key: string, path: readonly PropertyKey[], run: () => unknown) => {
    const message = messageOf(run);
    if (message !== undefined) report(`"${key}": ${message}`, path);
  };
  const isIsolated = file.workspace !== undefined && file.workspace !== 'none';
  tried('workspace', ['workspace'], () => workspacesOf(file.workspace, directory));
  for (const { fields, access, name, path } of usesOf(file)) {
    if (access === 'write' && !hasWorkspace(document, file)) report(NO_WORKSPACE, path);
    tried('agent', path, () => refuseAccess(name, agentOf(fields, { isCompared: isIsolated }), access));
  }
  if (isIsolated) file.phases.forEach((phase, index) => folderProblems(phase, ['phases', index], report));
  for (const { message, path } of reservedNames(file)) report(message, path);
  return problems;
}

/** Finds names that a pipeline with folders has for itself. Each of its phases has tasks of its own, and it has a last phase. */
export function reservedNames({ workspace, phases }: PipelineFile): readonly ReservedName[] {
  if (workspace === undefined || workspace === 'none') return [];
  return phases.flatMap(({ name, tasks }, index) => [
    ...(name === HAND_OVER ? [reserved(name, 'its last phase has that name', ['phases', index, 'name'])] : []),
    ...tasks.flatMap((task, at) =>
      Object.hasOwn(OWN_TASKS, task.name)
        ? [reserved(task.name, 'each phase has a task of that name of its own', ['phases', index, 'tasks', at, 'name'])]
        : [],
    ),
  ]);
}

/** Returns the file without workspaces, and with a command in place of each agent. Everything else keeps its path. */
export function withoutAgents(file: PipelineFile): PipelineFile {
  const plain = <T extends { readonly agent?: unknown }>({ agent, ...work }: T) =>
    agent === undefined ? work : { ...work, command: ['agent'], prompt: undefined, permissions: undefined };
  return {
    ...file,
    workspace: undefined,
    phases: file.phases.map((phase) => ({
      ...phase,
      tasks: phase.tasks.map(plain),
      ...(phase.review && {
        review: {
          ...phase.review,
          by: Array.isArray(phase.review.by) ? phase.review.by.map(plain) : phase.review.by && plain(phase.review.by),
        },
      }),
    })),
  };
}

// --- internal ---

const NO_WORKSPACE =
  '"agent": a task of an agent needs "workspace" of the pipeline: clone gives each agent a folder of its own, none lets it change the directory of this file';

interface ReservedName {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

function reserved(name: string, why: string, path: readonly PropertyKey[]): ReservedName {
  return {
    message: `"name": "${name}" is reserved in a pipeline with "workspace", as ${why}. Choose another name.`,
    path,
  };
}

/** Reports work that cannot be done in folders of its own. */
function folderProblems(
  phase: PipelineFile['phases'][number],
  path: readonly PropertyKey[],
  report: (message: string, path: readonly PropertyKey[]) => void,
): void {
  const agents = new Set(phase.tasks.flatMap(({ name, agent }) => (agent === undefined ? [] : [name])));
  const late = lateTasks(phase, agents);
  phase.tasks.forEach(({ name, agent }, at) => {
    if (agent === undefined || !late.has(name)) return;
    const message = `"after": agents of one phase start from the same commit, so "${name}" needs a phase of its own`;
    report(message, [...path, 'tasks', at, 'after']);
  });
  phase.review?.checks?.forEach((check, at) => {
    if (!('baseline' in check) || check.baseline !== true) return;
    report('"baseline": a check in a workspace runs after the tasks only', [
      ...path,
      'review',
      'checks',
      at,
      'baseline',
    ]);
  });
}

/** Returns the problem that a function throws, in one line. */
function messageOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
    return error.message.split('\nDocs: ')[0]?.replaceAll('\n', '. ');
  }
}

/** An agent of a file, and its place. */
interface AgentUse {
  readonly fields: AgentFields;
  readonly access: AgentAccess;
  readonly name: string;
  readonly path: readonly PropertyKey[];
}

function usesOf({ phases }: PipelineFile): readonly AgentUse[] {
  return phases.flatMap(({ tasks, review }, index) => {
    const by = review?.by;
    const judges = Array.isArray(by) ? by : by === undefined ? [] : [by];
    const use = (
      work: (typeof tasks)[number] | (typeof judges)[number],
      access: AgentAccess,
      path: AgentUse['path'],
    ) =>
      work.agent === undefined
        ? []
        : [{ fields: work.agent, access, name: work.name ?? 'review', path: ['phases', index, ...path, 'agent'] }];
    return [
      ...tasks.flatMap((one, at) => use(one, 'write', ['tasks', at])),
      ...judges.flatMap((one, at) => use(one, 'read', ['review', 'by', ...(Array.isArray(by) ? [at] : [])])),
    ];
  });
}

/** True if the file has a workspace, also an invalid one, whose problem is enough. */
function hasWorkspace({ value }: YamlDocument, { workspace }: PipelineFile): boolean {
  return workspace !== undefined || (typeof value === 'object' && value !== null && 'workspace' in value);
}
