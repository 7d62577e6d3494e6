/**
 * Figures of earlier releases, in `history.json`.
 *
 * Figures of different days differ by half, as machines do. The change is a first hint; what counts is a comparison in one run.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };

/** Figures by name, such as `chain of 1000, µs per attempt`. Less is better. */
export type Figures = Readonly<Record<string, number>>;

/** Prints the change of each figure since the latest release of the file, as Markdown. */
export function printChanges(figures: Figures): void {
  const last = entries().at(-1);
  if (!last) return;
  console.log(`\n| figure | ${last.release}, ${last.date} | now | ratio |\n| --- | ---: | ---: | ---: |`);
  for (const [name, now] of Object.entries(figures)) {
    const before = last.figures[name];
    if (before !== undefined)
      console.log(`| ${name} | ${before.toFixed(1)} | ${now.toFixed(1)} | ${(now / before).toFixed(2)} |`);
  }
}

/** Adds the figures to the file as those of this version, in place of earlier ones of it. */
export function keep(figures: Figures): void {
  const others = entries().filter(({ release }) => release !== manifest.version);
  const rounded = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(1))]));
  const date = new Date().toISOString().slice(0, 10);
  const all = [...others, { release: manifest.version, date, node: process.version, figures: rounded }];
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}

// --- internal ---

const entrySchema = z.object({
  release: z.string(),
  date: z.string(),
  node: z.string(),
  figures: z.record(z.string(), z.number()),
});

const FILE = new URL('history.json', import.meta.url);

/** The entries of the file, oldest first. */
function entries(): readonly z.infer<typeof entrySchema>[] {
  return z.array(entrySchema).parse(JSON.parse(readFileSync(FILE, 'utf8')));
}
