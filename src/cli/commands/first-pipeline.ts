/**
 * The example pipelines that `phasegate init` writes. They need nothing but Node.
 *
 * @module
 */

/** The example in TypeScript. */
export const FIRST_MODULE = `import { approve, definePipeline, phase, retry, retryPredecessor } from 'phasegate';

const archive = ['Gates are old.', 'Few teams skip them.', '7 of 10 catch a defect.'];

// A task is a function. It can also call a model, run a program, or ask a person.
const research = phase('research', {
  // A revision is the demand of a gate; the first attempt has none.
  tasks: (task) => [task('gather', { run: ({ revision }) => archive.slice(0, 1 + (revision?.attempt ?? 0)) })],
  // The gate approves, or sends the phase back with feedback.
  review: ({ outputs }) => (outputs.gather.length > 1 ? approve() : retry('One finding is not enough.')),
});

const writing = phase('writing', {
  after: [research], // starts once research is approved
  tasks: (task) => [task('draft', { run: ({ inputs }) => inputs.research.gather.join(' ') })],
  // A gate may also send an earlier phase back.
  review: ({ outputs }) => (/\\d/.test(outputs.draft) ? approve() : retryPredecessor('research', 'Find a number.')),
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

// --- internal ---

/** A JavaScript expression that parses the standard input of a command. */
const READ = "JSON.parse(require('fs').readFileSync(0, 'utf8'))";
