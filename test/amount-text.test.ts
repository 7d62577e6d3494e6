import { describe, expect, it } from 'vitest';
import { counted } from '../src/model/values/counts.ts';
import { dollars, estimatedText, outOf, thousands, usageText } from '../src/projections/wording/amount-words.ts';

describe('texts of amounts', () => {
  it('give money two significant digits', () => {
    const texts = ['$0.00', '$0.0042', '$0.05', '$0.094', '$0.10', '$0.12', '$3.00', '$1234.50'];
    expect([0, 0.0042, 0.05, 0.094, 0.0951, 0.12, 3, 1234.5].map(dollars)).toEqual(texts);
  });

  it('shorten counts of tokens', () => {
    expect([7, 999.6, 1500, 999_949, 999_950].map(thousands)).toEqual(['7', '1000', '1.5k', '999.9k', '1.0M']);
  });

  it('leave usage out if nothing was used', () => {
    expect(usageText({ tokens: 0, costUsd: 0 })).toBe('');
    expect(usageText({ tokens: 0, costUsd: 0.5 })).toBe('$0.50');
    expect(usageText({ tokens: 12_345, costUsd: 0.5 })).toBe('12.3k tokens, $0.50');
  });

  it('mark the part of usage that is an estimate', () => {
    const used = { tokens: 1500, costUsd: 0.5 };
    expect(estimatedText(used, { tokens: 0, costUsd: 0 })).toBe('');
    expect(estimatedText(used, used)).toBe('(estimated)');
    expect(estimatedText(used, { tokens: 900, costUsd: 0 })).toBe('(900 tokens of it estimated)');
  });

  it('show a limit only if there is one', () => {
    expect([outOf(1, 2), outOf(1, 'unlimited'), outOf(1, undefined)]).toEqual(['1/2', '1', '1']);
    expect([counted(1, 'phase'), counted(0, 'phase')]).toEqual(['1 phase', '0 phases']);
  });
});
