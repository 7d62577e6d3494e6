import { describe, expect, it } from 'vitest';
import { imageOf } from '../../visualizations/dashboard/src/parts/code/image-of.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1A\n0123', 'latin1').toString('base64');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="4" height="4"/></svg>';
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

describe('imageOf()', () => {
  it.each<[type: string, value: unknown]>([
    ['png', `data:image/png;base64,${PNG}`],
    ['png', { type: 'image', data: PNG, mimeType: 'image/png' }],
    // The bytes decide.
    ['png', `data:image/svg+xml;base64,${PNG}`],
    ['jpeg', `data:image/png;base64,${base64('\xFF\xD8\xFF\xE0')}`],
    ['gif', { data: base64('GIF89a...'), mimeType: 'image/gif' }],
    ['webp', { data: base64('RIFF\n\0\0\0WEBPVP8 '), mimeType: 'image/webp' }],
    ['svg+xml', SVG],
    ['svg+xml', `<?xml version="1.0"?>\n${SVG}`],
    ['svg+xml', { data: base64(SVG), mimeType: 'image/svg+xml' }],
  ])('is of the type %s', (type, value) => {
    expect(imageOf(value)).toMatch(new RegExp(`^data:image/${type.replace('+', String.raw`\+`)}[;,]`, 'u'));
  });

  it.each<[what: string, value: unknown]>([
    ['other text', 'Bees fly.'],
    ['other values', { data: 1, mimeType: 'image/png' }],
    ['another type', { data: PNG, mimeType: 'text/html' }],
    ['HTML that says it is an image', `data:image/png;base64,${base64('<html><script>1</script></html>')}`],
    ['invalid base64', 'data:image/png;base64,iVBORw0KGgo"><script>'],
    ['a URL without base64', 'data:image/svg+xml,<svg/>'],
    ['a long image', `data:image/png;base64,${PNG}${'A'.repeat(8_000_000)}`],
    ['an SVG with entities', `<!DOCTYPE svg>${SVG}`],
    ['an SVG with entities later', SVG.replace('<rect', '<!ENTITY a "b"><rect')],
    ['an SVG that reuses much', SVG.replace('<rect', `${'<use href="#a"/>'.repeat(20)}<rect`)],
    ['a long SVG', SVG.replace('<rect', `${' '.repeat(600_000)}<rect`)],
  ])('is nothing for %s', (_, value) => {
    expect(imageOf(value)).toBeUndefined();
  });
});
