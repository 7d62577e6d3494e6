/**
 * The pipelines that `phasegate init` writes: examples, which need nothing but Node, and those of an agent.
 *
 * @module
 */
import { promptWay, readAgentLine } from '../options/agent-line.ts';

/** The example in TypeScript. */
export const FIRST_MODULE = `import { approve, definePipeline, phase, retry, retryPredecessor } from 'phasegate';

const archive = ['Gates are old.', 'Few teams skip them.', '7 of 10 catch a defect.'];

// A task is a function. It can also call a model, run a program, or ask a person.
const research = phase('research', {
  // A revision is the demand of a gate; the first attempt has none.
  tasks: (task) => [task('gather', { run: ({ revision }) => archive.slice(0, 1 + (revision?.attempt ?? 0)) })],
  // The gate approves, or sends the phase back with feedback.
  review: ({ outputs }) =>
    outputs.gather.length > 1 ? approve() : retry('There is one finding.', { requiredChange: 'Add a finding.' }),
});

const writing = phase('writing', {
  after: [research], // starts once research is approved
  tasks: (task) => [task('draft', { run: ({ inputs }) => inputs.research.gather.join(' ') })],
  // A gate may also send an earlier phase back.
  review: ({ outputs }) =>
    /\\d/.test(outputs.draft)
      ? approve()
      : retryPredecessor('research', 'The draft has no number.', { requiredChange: 'Find a number.' }),
});

export default definePipeline({ name: 'my-pipeline', phases: [research, writing] });
`;

/** Returns the example in YAML. @param schema The address or path of the JSON Schema, for editors. */
export function firstFile(schema: string): string {
  return `# yaml-language-server: $schema=${schema}
name: my-pipeline

phases:
  - name: draft
    tasks:
      # A task is a program: it prints its output. PHASEGATE_FEEDBACK is the feedback of the gate.
      - name: write
        command: [node, --print, "'Gates are old.' + (process.env.PHASEGATE_FEEDBACK && ' 7 of 10 catch a defect.')"]
    review:
      # The gate: a failed check sends the phase back with the required change.
      checks:
        - name: number
          command: [node, --eval, "process.exit(/[0-9]/.test(\${READ}.outputs.write) ? 0 : 1)"]
          requiredChange: Name a number.
          stdin: inputs

  - name: page
    after: [draft] # starts once draft is approved
    tasks:
      - name: html
        command: [node, --print, "'<p>' + \${READ}.inputs.draft.write + '</p>'"]
        stdin: inputs # all inputs, as one JSON object
    review:
      # A reviewer is a program that prints APPROVE, or RETRY: and what to change. RETRY_PREDECESSOR draft: sends draft back.
      by:
        command: [node, --print, "\${READ}.outputs.html.startsWith('<p>') ? 'APPROVE' : 'RETRY: Make it a paragraph.'"]
        stdin: inputs
`.replaceAll('${READ}', READ);
}

/** The agent and the checks of a first pipeline. */
export interface FirstAgent {
  /** The agent, as on the command line; `undefined` if none is installed. */
  readonly agent: string | undefined;
  /** True if the repository has a test script of npm. */
  readonly hasTests: boolean;
  /** True if packages can be installed as they are locked. */
  readonly hasLock: boolean;
}

/** Returns the pipeline in YAML. @param schema The address or path of the JSON Schema, for editors. */
export function agentFile({ agent, hasTests, hasLock }: FirstAgent, schema: string): string {
  const workspace = hasLock ? '{ isolation: clone, setup: [npm, ci] }' : 'clone';
  const named = agent === undefined ? JSON.stringify(PLACEHOLDER) : JSON.stringify(agent);
  const check = hasTests ? '- command: [npm, test]' : '- use: nonEmptyDiff # there are changes; use your tests instead';
  const reviewer = `      # A reviewer reads the work, and sends it back with what to change.
      by:
        agent: ${named}
        prompt: The page is correct and complete, as the files of the repository show.
`;
  return `# yaml-language-server: $schema=${schema}
name: my-pipeline
workspace: ${workspace} # agents work in clones of this repository

phases:
  - name: change
    tasks:
      - name: write${agent === undefined ? `\n        # ${NONE}` : ''}
        agent: ${named}
        prompt: ${GOAL}
    review:
      # A failed check sends the work back.
      checks:
        ${check}
${agent === undefined ? '' : reviewer}`;
}

/** Returns the pipeline in TypeScript. */
export function agentModule({ agent, hasTests, hasLock }: FirstAgent): string {
  const { imported, from, made } = codeOf(agent);
  const reviewer = `  // It reads the work, and sends it back with what to change.
  reviewers: [{ name: 'judge', agent, criteria: 'The page is correct and complete, as the files of the repository show.' }],
`;
  return `import { ${imported} } from '${from}';
import { compilePlan, gitWorkspace } from 'phasegate/fleet';

${agent === undefined ? `// ${NONE}\n` : ''}const agent = ${made};

// A plan may have several subtasks, each with an agent in a folder of its own.
const plan = { goal: '${GOAL}' };

export default compilePlan(plan, {
  agent,
  workspace: gitWorkspace({ repository: import.meta.dirname${hasLock ? ", setup: ['npm', 'ci']" : ''} }),
  // A failed check sends the work back.
  checks: [${hasTests ? "{ name: 'tests', line: ['npm', 'test'], kind: 'test' }" : "{ name: 'page', line: ['git', 'cat-file', '-e', 'HEAD:CONTRIBUTING.md'] }"}],
${agent === undefined ? '' : reviewer}});
`;
}

// --- internal ---

/** A JavaScript expression that parses the standard input of a command. */
const READ = "JSON.parse(require('fs').readFileSync(0, 'utf8'))";

const GOAL = 'Write CONTRIBUTING.md, a page on how to build, test and change this repository.';

const NONE = 'No agent is installed. Put yours here: claude, codex, gemini, "acp:<line>" or "command:<line>".';

/** A program that does the goal in one line, until there is an agent. */
const PLACEHOLDER = [
  'node',
  '--eval',
  "require('fs').writeFileSync('CONTRIBUTING.md', 'Name an agent in the pipeline, and run it again.\\n')",
];

interface AgentCode {
  readonly imported: string;
  readonly from: string;
  readonly made: string;
}

function codeOf(agent: string | undefined): AgentCode {
  const command = (words: readonly string[]): AgentCode => ({
    imported: 'commandAgent',
    from: 'phasegate/agents',
    made: `commandAgent([${words.map((word) => JSON.stringify(word)).join(', ')}], { ${promptWay(words) ? "prompt: 'argument', " : ''}readOnly: true })`,
  });
  if (agent === undefined) return command(PLACEHOLDER);
  const line = readAgentLine(agent);
  if (line?.kind === 'command') return command(line.words);
  if (!line) return { imported: 'jsonlAgent', from: 'phasegate/agents', made: `jsonlAgent(${JSON.stringify(agent)})` };
  const [program = '', ...args] = line.words;
  return {
    imported: 'acpAgent',
    from: 'phasegate/acp',
    made: `acpAgent({ command: ${JSON.stringify(program)}, args: ${JSON.stringify(args)} })`,
  };
}
