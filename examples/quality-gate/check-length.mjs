// Fails if the summary has more words than the run's input allows.
import { readFileSync } from 'node:fs';

const { outputs, input } = JSON.parse(readFileSync(0, 'utf8'));
const most = input?.words ?? 130;
const count = outputs.draft.split(/\s+/).length;
if (count > most) {
  console.error(
    `The summary has ${count} words, ${count - most} more than the ${most} that are allowed. Drop a sentence.`,
  );
  process.exitCode = 1;
}
