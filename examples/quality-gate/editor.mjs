// Reviews the summary: it must keep the promise of its title.
import { readFileSync } from 'node:fs';

const [title, ...sentences] = JSON.parse(readFileSync(0, 'utf8')).outputs.draft.split('\n');
const missing = ['gate', 'model'].filter((word) => title.includes(word) && !sentences.join(' ').includes(word));

if (sentences.some((sentence) => /coffee|weather/.test(sentence)))
  console.log('RETRY: Drop what has nothing to do with gates.');
else if (missing.length > 0)
  console.log(`REJECT: The title promises ${missing.join(' and ')}, the summary does not keep it.`);
else console.log('APPROVE');
