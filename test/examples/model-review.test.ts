import { describe, expect, it } from 'vitest';
import { announcement } from '../../examples/model-review/announcement.ts';
import pipeline from '../../examples/model-review/pipeline.ts';
import { understudy } from '../../examples/model-review/understudy.ts';
import { startRun } from '../../src/index.ts';
import { lineOf } from '../line.ts';
import { listen, type Entry } from '../openai/server.ts';

const PAGE = '# A faster parser\n\nVersion 2.0 reads files twice as fast, and no longer runs on Node 18.\n';

const FEEDBACK =
  'Name the version, and what breaks. | Readers cannot tell whether it concerns them. | - [medium] It promises without a figure.';

const LINES = [
  'changes started 0',
  'changes approved v1 (unreviewed)',
  'note started 0',
  `note retrying: ${FEEDBACK}`,
  `note started 1: ${FEEDBACK}`,
  'note approved v1 from changes@1',
  'page started 0',
  'page approved v1 (unreviewed) from note@1',
  'run completed',
];

async function tell(which: typeof pipeline) {
  const run = startRun(which);
  const lines: string[] = [];
  run.events$.subscribe(({ event }) => lines.push(...[lineOf(event) ?? []].flat()));
  return { result: await run.result, lines };
}

describe('examples/model-review', () => {
  it('sends the note back once, and publishes what was approved', async () => {
    const { result, lines } = await tell(pipeline);
    expect(lines).toEqual(LINES);
    expect(result.outputs).toMatchObject({ page: { markdown: PAGE } });
    expect(result.metrics.tokens).toBeGreaterThan(1000);
  });

  it.each(['responses', 'chat'] as const)('does the same with a model behind a server, by %s', async (api) => {
    const play: Entry = async ({ system, user }) => {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ] as const;
      const schema = { name: system.includes('"nonce"') ? 'verdict' : 'answer', schema: {}, strict: true };
      return (
        await understudy({
          messages,
          schema,
          signal: new AbortController().signal,
          onDelta: () => {},
          onUsage: () => {},
        })
      ).text;
    };
    const server = await listen([play, play, play, play]);
    try {
      const { result, lines } = await tell(announcement({ model: 'm', api, apiKey: 'k', baseURL: server.url }));
      expect(lines).toEqual(LINES);
      expect(result.outputs).toMatchObject({ page: { markdown: PAGE } });
      expect(server.asked.length).toBe(4);
    } finally {
      await server.close();
    }
  });
});
