// Converts the approved summary to HTML.
import { readFileSync } from 'node:fs';

const [title, ...sentences] = JSON.parse(readFileSync(0, 'utf8')).inputs.summary.draft.split('\n');
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

console.log(
  `<h1>${escape(title)}</h1>\n<ul>\n${sentences.map((one) => `  <li>${escape(one)}</li>`).join('\n')}\n</ul>`,
);
