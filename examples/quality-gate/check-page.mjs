// Fails if the page has no heading, or several.
import { readFileSync } from 'node:fs';

const { outputs } = JSON.parse(readFileSync(0, 'utf8'));
const headings = outputs.html.match(/<h1>/g)?.length ?? 0;
if (headings !== 1) {
  console.error(`The page has ${headings} headings instead of one.`);
  process.exitCode = 1;
}
