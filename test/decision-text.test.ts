import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approve,
  escalate,
  formatDecision,
  parseDecision,
  reject,
  retry,
  retryPredecessor,
  type Decision,
} from '../src/index.ts';

/** Tests that each text is parsed to its decision. */
function reads(table: readonly (readonly [text: string, decision: Decision])[]): void {
  it.each(table.map(([text, decision]) => [JSON.stringify(text), text, decision] as const))(
    '%s',
    (_, text, decision) => {
      expect(parseDecision(text)).toStrictEqual(decision);
    },
  );
}

/** Tests that each text is unrecognised. */
function readsNothing(table: readonly string[]): void {
  it.each(table.map((text) => [JSON.stringify(text), text] as const))('%s', (_, text) => {
    expect(parseDecision(text)).toStrictEqual({ type: 'unrecognised', text });
  });
}

describe('parseDecision() reads the protocol', () => {
  reads([
    ['APPROVE', approve()],
    ['RETRY: need depth', retry('need depth')],
    ['RETRY_PREDECESSOR research: need data', retryPredecessor('research', 'need data')],
    ['REJECT: it is wrong', reject('it is wrong')],
    ['ESCALATE: a person must choose', escalate('a person must choose')],
  ]);
});

describe('parseDecision() ignores case', () => {
  reads([
    ['approve', approve()],
    ['Approve', approve()],
    ['rEtRy: Need Depth', retry('Need Depth')],
    ['retry_predecessor Research: x', retryPredecessor('Research', 'x')],
    ['Retry_Predecessor research: x', retryPredecessor('research', 'x')],
    ['reject: no', reject('no')],
    ['escalate: you choose', escalate('you choose')],
  ]);
});

describe('parseDecision() splits at the first colon only', () => {
  reads([
    ['RETRY: issue: too short: by half', retry('issue: too short: by half')],
    ['RETRY::x', retry(':x')],
    ['RETRY: : x', retry(': x')],
    ['REJECT: see https://example.org', reject('see https://example.org')],
    ['RETRY_PREDECESSOR research: add: a, b', retryPredecessor('research', 'add: a, b')],
    ['RETRY：用全角冒号', retry('用全角冒号')],
  ]);
});

describe('parseDecision() keeps feedback over several lines', () => {
  reads([
    ['RETRY: first\nsecond\n\nthird', retry('first\nsecond\n\nthird')],
    ['RETRY:\n- one\n- two', retry('- one\n- two')],
    ['RETRY\n- one\n- two', retry('- one\n- two')],
    ['RETRY: first\r\nsecond', retry('first\r\nsecond')],
    ['RETRY: x\n---\ny', retry('x\n---\ny')],
    ['RETRY: see\n```\ncode\n```', retry('see\n```\ncode\n```')],
    ['RETRY: x\nAPPROVE', retry('x\nAPPROVE')],
    ['RETRY_PREDECESSOR research: a\nb', retryPredecessor('research', 'a\nb')],
    ['RETRY_PREDECESSOR research\na: b', retryPredecessor('research', 'a: b')],
    ['REJECT: a\n\nAPPROVE was never possible', reject('a\n\nAPPROVE was never possible')],
  ]);
});

describe('parseDecision() reads a keyword without feedback', () => {
  reads([
    ['RETRY', retry('')],
    ['RETRY:', retry('')],
    ['RETRY!', retry('')],
    ['RETRY_PREDECESSOR', retry('')],
    ['RETRY_PREDECESSOR: ', retry('')],
    ['REJECT', reject('')],
    ['ESCALATE', escalate('')],
    ['RETRY_PREDECESSOR research', retryPredecessor('research', '')],
    ['RETRY_PREDECESSOR research:', retryPredecessor('research', '')],
  ]);
});

describe('parseDecision() reads names of phases', () => {
  reads([
    ['RETRY_PREDECESSOR market research: x', retryPredecessor('market research', 'x')],
    ['RETRY_PREDECESSOR  research  :  x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR "a: b": x: y', retryPredecessor('a: b', 'x: y')],
    ['RETRY_PREDECESSOR "say \\"hi\\"": x', retryPredecessor('say "hi"', 'x')],
    ['RETRY_PREDECESSOR "research": x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR: research: x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR `research`: x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR **research**: x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR <research>: x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR [research]: x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR(research): x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR research - x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR\tresearch: x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR\u00A0research: x', retryPredecessor('research', 'x')],
    ['RETRY-PREDECESSOR research: x', retryPredecessor('research', 'x')],
    ['RETRY PREDECESSOR research: x', retryPredecessor('research', 'x')],
    ['RETRY\\_PREDECESSOR research: x', retryPredecessor('research', 'x')],
  ]);
});

describe('parseDecision() ignores emphasis and quotes, wherever they close', () => {
  reads([
    ['**APPROVE**', approve()],
    ['__APPROVE__', approve()],
    ['*approve*', approve()],
    ['***APPROVE***', approve()],
    ['`APPROVE`', approve()],
    ['"APPROVE"', approve()],
    ['“APPROVE”', approve()],
    ['**"APPROVE"**', approve()],
    ['**APPROVE**.', approve()],
    ['**RETRY**: need depth', retry('need depth')],
    ['**RETRY:** need depth', retry('need depth')],
    ['**RETRY: need depth**', retry('need depth')],
    ['**RETRY** need depth', retry('need depth')],
    ['**RETRY: need depth**\n\nMore.', retry('need depth\n\nMore.')],
    ['**RETRY: need\ndepth**', retry('need\ndepth')],
    ['_RETRY_: need depth', retry('need depth')],
    ['`RETRY`: need depth', retry('need depth')],
    ['`RETRY: need depth`', retry('need depth')],
    ['"RETRY": need depth', retry('need depth')],
    ['"RETRY: need depth"', retry('need depth')],
    ['\'RETRY: do not say "x"\'', retry('do not say "x"')],
    ['“RETRY: need depth”', retry('need depth')],
    ['"RETRY: one\\ntwo"', retry('one\ntwo')],
    ['**RETRY_PREDECESSOR** research: x', retryPredecessor('research', 'x')],
    ['**RETRY_PREDECESSOR research**: x', retryPredecessor('research', 'x')],
    ['**RETRY_PREDECESSOR research:** x', retryPredecessor('research', 'x')],
    ['**RETRY_PREDECESSOR research: x**', retryPredecessor('research', 'x')],
  ]);
});

describe('parseDecision() leaves emphasis and quotes within feedback alone', () => {
  reads([
    ['RETRY: **x**', retry('**x**')],
    ['RETRY: `x`', retry('`x`')],
    ['RETRY: "x', retry('"x')],
    ['RETRY: say "x" twice', retry('say "x" twice')],
    ['**RETRY**: use **bold**', retry('use **bold**')],
    ['**RETRY:** use **bold**', retry('use **bold**')],
    ['**RETRY**: use **bold** now', retry('use **bold** now')],
  ]);
});

describe('parseDecision() ignores marks at the start of a line', () => {
  reads([
    ['- APPROVE', approve()],
    ['* APPROVE', approve()],
    ['• APPROVE', approve()],
    ['1. APPROVE', approve()],
    ['2) RETRY: x', retry('x')],
    ['# APPROVE', approve()],
    ['### RETRY: x', retry('x')],
    ['> RETRY: x', retry('x')],
    ['- [x] APPROVE', approve()],
    ['✅ APPROVE', approve()],
    ['→ RETRY: x', retry('x')],
    ['## **APPROVE**', approve()],
    ['> - **RETRY**: x', retry('x')],
  ]);
});

describe('parseDecision() ignores a label', () => {
  reads([
    ['Verdict: APPROVE', approve()],
    ['verdict = approve', approve()],
    ['Decision: RETRY: x', retry('x')],
    ['Final answer: APPROVE', approve()],
    ['My recommendation: RETRY: x', retry('x')],
    ['The verdict is: APPROVE', approve()],
    ['The decision is RETRY: x', retry('x')],
    ['Verdict - APPROVE', approve()],
    ['**Verdict:** APPROVE', approve()],
    ['**Verdict**: RETRY: x', retry('x')],
    ['**Verdict: APPROVE**', approve()],
    ['**Verdict: RETRY: x**', retry('x')],
    ['**Verdict:** **RETRY**: x', retry('x')],
    ['## Verdict\n\nAPPROVE', approve()],
    ['Verdict:\nRETRY: x', retry('x')],
  ]);
});

describe('parseDecision() ignores code fences', () => {
  reads([
    ['```\nAPPROVE\n```', approve()],
    ['```text\nRETRY: x\ny\n```\n', retry('x\ny')],
    ['~~~\nRETRY: x\n~~~', retry('x')],
    ['```APPROVE```', approve()],
    ['I looked.\n\n```\nRETRY: x\ny\n```', retry('x\ny')],
    ['I looked.\n```text\nRETRY: x\n```\nThat is all.', retry('x')],
  ]);
});

describe('parseDecision() ignores spaces of any kind', () => {
  reads([
    ['  RETRY: fix it  ', retry('fix it')],
    ['\n\nAPPROVE\n', approve()],
    ['\uFEFFRETRY: x', retry('x')],
    ['\u200BAPPROVE\u200B', approve()],
    ['RETRY:\tx', retry('x')],
    ['RETRY\t:\tx', retry('x')],
    ['RETRY:\u00A0x', retry('x')],
    ['\u00A0RETRY\u00A0: x', retry('x')],
    ['APPROVE\r\n', approve()],
    ['I looked.\r\n\r\nRETRY: x\r\n', retry('x')],
    ['I looked.\n    RETRY: x', retry('x')],
  ]);
});

describe('parseDecision() takes plain words after a keyword for its feedback', () => {
  reads([
    ['RETRY need depth', retry('need depth')],
    ['RETRY - need depth', retry('need depth')],
    ['RETRY, need depth', retry('need depth')],
    ['RETRY. Need depth.', retry('Need depth.')],
    ['RETRY not enough depth', retry('not enough depth')],
    ['RETRY can you add sources?', retry('can you add sources?')],
    ['retry need depth', retry('need depth')],
    ['REJECT the data is corrupted', reject('the data is corrupted')],
    ['ESCALATE this needs a lawyer', escalate('this needs a lawyer')],
  ]);
});

describe('parseDecision() reads an approval with a remark', () => {
  reads([
    ['APPROVE.', approve()],
    ['APPROVE: well done', approve()],
    ['APPROVE: no remarks', approve()],
    ['APPROVE - well done', approve()],
    ['APPROVE (well done)', approve()],
    ['APPROVE ✅', approve()],
    ['APPROVE\n\nRETRY is not needed.', approve()],
    ['APPROVE\n\nAPPROVE', approve()],
    ['Approved.', approve()],
    ['Rejected: it is wrong', reject('it is wrong')],
  ]);
});

describe('parseDecision() reads the last decision after the reasoning', () => {
  reads([
    ['The draft is sound.\nAPPROVE', approve()],
    ['The draft is sound.\n\n**APPROVE**', approve()],
    ['Reasons follow.\nRETRY: x\ny', retry('x\ny')],
    ['Reasons follow.\n\nRETRY need depth', retry('need depth')],
    ['Reasons follow.\nVerdict: RETRY: x', retry('x')],
    ['I could say\nAPPROVE\nbut no:\nRETRY: x', retry('x')],
    ['It is bad.\nreject', reject('')],
    ['Reasons follow.\nRETRY: fix\n- Reject: messages are unclear', retry('fix\n- Reject: messages are unclear')],
    ['Retry is not needed.\nAPPROVE', approve()],
    ['It is good.\n\nAPPROVE\n\nThank you!', approve()],
    ['- [ ] APPROVE\n- [x] RETRY: x', retry('x')],
    [`${'I think.\n'.repeat(5000)}RETRY: x`, retry('x')],
    [`I think.\nRETRY: x${'\nline'.repeat(5000)}`, retry(`x${'\nline'.repeat(5000)}`)],
  ]);
});

describe('parseDecision() finds no decision in prose', () => {
  readsNothing([
    '',
    '   ',
    'looks good to me',
    'RETRYING is not needed',
    'RETRY is not needed',
    'Retry not needed',
    'Retry? No.',
    'RETRY? no',
    'retry-able',
    'RETRY_PREDECESSORS research: x',
    'Do not APPROVE',
    'Approve? No.',
    'APPROVE: no',
    'Approve this? Never',
    'APPROVE is not possible',
    'approve only if the title changes',
    'I would retry if I could',
    'I would retry if the draft were longer.\nIt is not.',
    'Good. APPROVE',
    'APPROVE or RETRY',
    'approve or retry?',
    'APPROVE / RETRY',
    'Options: APPROVE, RETRY, REJECT',
    'APPROVES',
    'Reject this? No, it is good',
    'Reject nothing, it is good',
    'Escalate if in doubt',
    'I think so.\nretry the request and it works',
    '~~RETRY~~ APPROVE',
    '- [ ] APPROVE',
    '{"type":"approve"}',
  ]);
});

describe('parseDecision() does not guess about a withdrawn approval', () => {
  readsNothing([
    'APPROVE\nRETRY: x',
    'APPROVE\n\nOn second thoughts:\n\n**REJECT**: it is wrong',
    'APPROVE: fine\nretry: not fine',
    'APPROVE\nRETRY_PREDECESSOR research: x',
  ]);
});

describe('parseDecision() accepts any value', () => {
  it.each([null, undefined, 42, {}, [], Symbol('x')])('%s', (text) => {
    expect(parseDecision(text as string)).toStrictEqual({ type: 'unrecognised', text: '' });
  });

  it('reads any text without throwing', () => {
    fc.assert(
      fc.property(sloppyText, (text) => {
        expect(parseDecision(text)).toHaveProperty('type');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('formatDecision()', () => {
  it.each<readonly [string, Decision]>([
    ['APPROVE', approve()],
    ['RETRY: a: b\nc', retry('a: b\nc')],
    ['RETRY: ', retry('')],
    ['RETRY: " x "', retry(' x ')],
    ['RETRY: "\\"x\\""', retry('"x"')],
    ['RETRY_PREDECESSOR research: x', retryPredecessor('research', 'x')],
    ['RETRY_PREDECESSOR market research: x', retryPredecessor('market research', 'x')],
    ['RETRY_PREDECESSOR "a: b": x', retryPredecessor('a: b', 'x')],
    ['RETRY_PREDECESSOR "": x', retryPredecessor('', 'x')],
    ['REJECT: x', reject('x')],
    ['ESCALATE: x', escalate('x')],
    ['RETRY: x', { type: 'retry', feedback: 'x', requiredChange: 'Do x.', score: 3, confidence: 0.9 }],
  ])('writes %j', (text, decision) => {
    expect(formatDecision(decision)).toBe(text);
  });

  it('writes what parseDecision() reads as the same decision', () => {
    fc.assert(
      fc.property(anyDecision, (decision) => {
        expect(parseDecision(formatDecision(decision))).toStrictEqual(decision);
      }),
      { numRuns: 5000 },
    );
  });
});

// --- internal ---

/** Fragments of text that the parser recognises, or nearly does. */
const FRAGMENTS = [
  'APPROVE|retry|RETRY_PREDECESSOR|REJECT: |Verdict:|:|：| |  |\n|\r\n|\t|"|\'|“|”|`|```|```\n|~~~|**|_|- |1. |# |\\|\u00A0|',
  '\uFEFF|\u200B|\u2028|\uD800|a|word|.|?|!| - |(|)|[x]|<|>|no|✅',
]
  .join('')
  .split('|');

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 12 }).map((parts) => parts.join('')),
);

const sloppyText = fc.array(anyText, { maxLength: 5 }).map((parts) => parts.join(''));

const anyDecision: fc.Arbitrary<Decision> = fc.oneof(
  fc.constant(approve()),
  anyText.map((feedback) => retry(feedback)),
  fc.tuple(anyText, anyText).map(([name, feedback]) => retryPredecessor(name, feedback)),
  anyText.map((reason) => reject(reason)),
  anyText.map((reason) => escalate(reason)),
);
