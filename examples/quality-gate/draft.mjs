// Summarises the article by its most important sentences. After feedback it drops one more sentence.
import { readFileSync } from 'node:fs';

const { context, revision } = JSON.parse(readFileSync(0, 'utf8'));
const [title, , body] = context.source.split('\n');
const sentences = body.match(/[^.]+\./g).map((sentence) => sentence.trim());
const kept = previousCount() - (revision ? 1 : 0);

// A sentence is important if its words occur often in the article, and above all in the title.
const frequency = new Map();
for (const word of words(body)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
for (const word of words(title)) frequency.set(word, (frequency.get(word) ?? 0) + 10);
const score = (sentence) => words(sentence).reduce((sum, word) => sum + frequency.get(word) - 1, 0);
const best = new Set(sentences.toSorted((a, b) => score(b) - score(a)).slice(0, Math.max(1, kept)));

console.log([title, ...sentences.filter((sentence) => best.has(sentence))].join('\n'));

/** Returns the number of sentences in the last attempt; for the first attempt, two thirds of the article. */
function previousCount() {
  const last = revision?.previousOutput;
  return last ? last.split('\n').length - 1 : Math.ceil((sentences.length * 2) / 3);
}

function words(text) {
  return text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
}
