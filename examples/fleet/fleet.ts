/**
 * Carries out `plan.json` in a new repository, by the scripted agent or by one that is installed:
 * `npx jiti examples/fleet/fleet.ts [--agent claude|codex|gemini|acp:<line>]` after `npm ci` and `npm run build`.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { approve, requestChanges, startRun } from 'phasegate';
import { acpAgent } from 'phasegate/acp';
import { commandAgent, jsonlAgent, type Agent } from 'phasegate/agents';
import { compilePlan, gitWorkspace, planSchema, type LevelReview } from 'phasegate/fleet';
import { foldFleet } from 'phasegate/records';
import { makeRepository } from './repository.ts';
import { treeOf } from './tree.ts';

const { values } = parseArgs({ options: { agent: { type: 'string' } } });
const plan = planSchema.parse(JSON.parse(readFileSync(new URL('plan.json', import.meta.url), 'utf8')));
const agent = agentOf(values.agent);
const repository = makeRepository();

const pipeline = compilePlan(plan, {
  workspace: gitWorkspace({ repository: repository.path, root: repository.workspaces }),
  agent,
  reviewers: [{ name: 'usage', review: usage }],
  // An agent has a deadline of its own.
  timeout: 0,
  branch: 'blog',
});
const run = startRun(pipeline);
const fleet = foldFleet();
for await (const record of run) {
  fleet.apply(record);
  const { event } = record;
  if (event.type === 'phase.retrying') console.log(`${event.phase} is sent back: ${event.correction.requiredChange}`);
}
const ended = await run.result;
report(ended);
repository.remove();
process.exitCode = ended.status === 'completed' ? 0 : 1;

// --- internal ---

function agentOf(name: string | undefined): Agent {
  if (name?.startsWith('acp:') === true) {
    const [command = '', ...args] = name.slice('acp:'.length).split(' ');
    return acpAgent({ command, args });
  }
  switch (name) {
    case undefined:
      return commandAgent([process.execPath, fileURLToPath(new URL('agent.mjs', import.meta.url))]);
    case 'claude':
    case 'codex':
    case 'gemini':
      return jsonlAgent(name);
    default:
      throw new Error(
        `There is no agent "${name}". Name claude, codex or gemini, or an agent of the protocol as acp:<line>.`,
      );
  }
}

/** Sends a subtask back that has added a command without a help text. The others of its phase keep their work. */
function usage({ subtasks, difference }: LevelReview) {
  const author = subtasks.find(({ files_touched: paths }) => paths.includes('cli/'));
  if (!author || difference.text.includes('--help')) return approve();
  return requestChanges([
    {
      severity: 'medium',
      description: 'The command has no help text.',
      affectedTask: author.id,
      requiredChange: 'Print one line of usage on `--help`.',
    },
  ]);
}

function report(result: typeof ended): void {
  for (const line of treeOf(fleet.levels())) console.log(line);
  console.log(`\n${result.status}${result.reason === null ? '' : `: ${result.reason}`}`);
  console.log('\nOn branch phasegate/blog:');
  for (const line of repository.git('log', '--first-parent', '--reverse', '--format=  %s', 'phasegate/blog'))
    console.log(line);
  console.log('\nIts files:');
  for (const path of repository.git('ls-tree', '-r', '--name-only', 'phasegate/blog')) console.log(`  ${path}`);
}
