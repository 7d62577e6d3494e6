/**
 * Transcripts of each profile, as its program writes them.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bounded, type AgentEvent } from '../../src/agents/agent-event.ts';
import { eventsOf } from '../../src/agents/jsonl/jsonl-agent.ts';
import type { AgentEnding } from '../../src/agents/jsonl/profile.ts';
import { PROFILES, type ProfileName } from '../../src/agents/jsonl/profiles.ts';
import { createLineSplitter } from '../../src/agents/process/line-splitter.ts';

const VERSIONS = { claude: 'claude-2.1.330', codex: 'codex-0.169.0', gemini: 'gemini-0.61.0' } as const;
/** Words that lines begin with, or have as keys. */
const WORDS =
  'type assistant user result message content item item.completed turn.failed error usage text tool_use tool_result id status input stats todos changes __proto__'.split(
    ' ',
  );
const NAMES = ['edit', 'structured', 'refused', 'limit', 'rate', 'login'] as const;

const transcripts = (['claude', 'codex', 'gemini'] as const).flatMap((profile) =>
  NAMES.map((name) => ({ profile, name, path: pathOf(profile, name) })).filter(({ path }) => existsSync(path)),
);

describe('transcripts', () => {
  it.each(transcripts)('of $profile: $name', async ({ profile, path }) => {
    const { events, ending } = readIn(profile, [readFileSync(path)]);
    const lines = [...events, ending].map((one) => `${JSON.stringify(one, withoutTime)}\n`);
    await expect(lines.join('')).toMatchFileSnapshot(path.replace(/\.jsonl$/u, '.events'));
  });

  it.each(transcripts)('of $profile: $name mean the same, however their bytes are divided', ({ profile, path }) => {
    const bytes = readFileSync(path);
    const whole = readIn(profile, [bytes]);
    expect(whole.ending).toBeDefined();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), bytes.length];
        const pieces = cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
        const { events, ending } = readIn(profile, pieces);
        expect(events).toEqual(whole.events);
        expect(ending?.text).toBe(whole.ending?.text);
      }),
    );
  });

  it.each(['claude', 'codex', 'gemini'] as const)('of %s may be any JSON', (profile) => {
    const word = fc.constantFrom(...WORDS);
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, word, fc.integer(), fc.constant(null), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(word, tie('value'), { maxKeys: 5 }),
    })).object;
    fc.assert(
      fc.property(fc.array(json, { maxLength: 5 }), (lines) => {
        const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        for (const event of readIn(profile, [bytes]).events) expect(JSON.parse(JSON.stringify(event))).toEqual(event);
      }),
      { numRuns: 300 },
    );
  });
});

describe('createLineSplitter()', () => {
  it('reads the same lines, however the bytes are divided, and never keeps more than a line may have', () => {
    const text = fc.array(fc.constantFrom('a', '\n', '\r\n', 'é', '😀', '\uFEFF', ' ', 'xxxxxxxx', '\u0000'));
    fc.assert(
      fc.property(text, fc.array(fc.nat(60)), (parts, sizes) => {
        const bytes = Buffer.from(parts.join(''));
        const pieces: Buffer[] = [];
        for (let at = 0, n = 0; at < bytes.length; n += 1) {
          const size = 1 + (sizes[n % Math.max(1, sizes.length)] ?? 3);
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        const expected = split([bytes]);
        expect(split(pieces)).toEqual(expected);
        expect(expected.every((line) => line.replace(/^long \d+ /u, '').length <= 12)).toBe(true);
      }),
    );
  });

  it('tells how long a line was that is too long, and goes on', () => {
    expect(split([Buffer.from(`one\n${'x'.repeat(500)}`), Buffer.from('yyy\n\n two \r\nthree')])).toEqual([
      'one',
      `long 503 ${'x'.repeat(12)}`,
      'two',
      'three',
    ]);
  });
});

// --- internal ---

function pathOf(profile: ProfileName, name: string): string {
  return fileURLToPath(new URL(`../fixtures/agents/${VERSIONS[profile]}/${name}.jsonl`, import.meta.url));
}

/** Reads pieces of bytes as an agent does. */
function readIn(
  profile: ProfileName,
  pieces: readonly Uint8Array[],
): { readonly events: readonly AgentEvent[]; readonly ending: AgentEnding | undefined } {
  const reader = PROFILES[profile].reader();
  const events: AgentEvent[] = [];
  const lines = createLineSplitter(1_000_000, {
    line: (text) => events.push(...eventsOf(reader, text).map(bounded)),
    tooLong: (text) => events.push({ type: 'raw', because: 'tooLong', text }),
  });
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return { events: events.map((event) => JSON.parse(JSON.stringify(event)) as AgentEvent), ending: reader.ending() };
}

/** Replaces a delay until a certain time, as it depends on the time of the test. */
function withoutTime(_: string, value: unknown): unknown {
  return typeof value === 'number' && value > 1_000_000_000 ? 'until 2100' : value;
}

function split(pieces: readonly Uint8Array[]): readonly string[] {
  const found: string[] = [];
  const lines = createLineSplitter(12, {
    line: (text) => found.push(text),
    tooLong: (start, bytes) => found.push(`long ${bytes} ${start}`),
  });
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return found;
}
