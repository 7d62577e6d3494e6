import { describe, expect, it } from 'vitest';
import { kindOf, languageNamed, languageOf } from '../../visualizations/dashboard/src/parts/text-kind.ts';

describe('kindOf()', () => {
  it.each<[kind: ReturnType<typeof kindOf>, text: string, name?: string]>([
    ['plain', ''],
    ['plain', 'Bees fly.'],
    ['plain', 'a - b, 3 * 4, x | y, #1'],
    ['markdown', '# Bees'],
    ['markdown', 'Bees:\n\n- fly\n- hum'],
    ['markdown', '1. one\n2. two'],
    ['markdown', 'They are **fast**.'],
    ['markdown', 'See [the page](https://example.org).'],
    ['markdown', '| a | b |\n|---|---|\n| 1 | 2 |'],
    ['markdown', 'Bees fly.', 'notes.md'],
    ['json', '{ "a": [1] }'],
    ['json', '[]'],
    ['plain', '{ not json'],
    ['code', 'const a = 1;', 'main.ts'],
    ['code', '#!/bin/sh\necho a'],
    ['diff', 'diff --git a/x b/x\n'],
    ['diff', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'],
    // Too long, or nested too deeply, to be read in a moment.
    ['plain', `# Bees\n${'word '.repeat(5000)}`],
    ['plain', `{ "a": "${'x'.repeat(200_000)}" }`],
    ['plain', `# Bees\n${'> '.repeat(30)}`],
  ])('is %s', (kind, text, name) => {
    expect(kindOf(text, name)).toBe(kind);
  });
});

describe('languageOf()', () => {
  it.each<[language: string, text: string, name?: string]>([
    ['ts', 'const a = 1;', 'artifact main.ts'],
    ['toml', 'a = 1', 'x.TOML'],
    ['sh', '#!/bin/sh\necho a'],
    ['python', '#!/usr/bin/env python3\n'],
    ['js', '#!/usr/bin/env node\n'],
    ['', '#!/bin/cat\n'],
    ['', 'Bees fly.', 'bees.txt'],
    ['', `#!${'x'.repeat(100_000)}`],
  ])('is %j', (language, text, name) => {
    expect(languageOf(text, name)).toBe(language);
  });
});

describe('languageNamed()', () => {
  it.each<[language: string, named: string | null | undefined]>([
    ['ts', 'TS'],
    ['c++', 'c++'],
    ['', 'ts title="a b"'],
    ['', 'x'.repeat(21)],
    ['', ''],
    ['', null],
    ['', undefined],
  ])('is %j', (language, named) => {
    expect(languageNamed(named)).toBe(language);
  });
});
