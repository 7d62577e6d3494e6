/**
 * Images in outputs and artifacts, which are JSON.
 *
 * @module
 */

/**
 * Finds the image that a value is: a `data:` URL in base64, an object with `data` and `mimeType` as of MCP, or the text of an SVG.
 *
 * The type is that of its first bytes, whatever the value says.
 *
 * @returns The image as a `data:` URL; `undefined` if the value is none, is too long, or is an SVG that could take long to draw.
 */
export function imageOf(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (value.length > MOST) return undefined;
    if (value.startsWith('data:image/')) {
      const [head = '', data = ''] = value.slice('data:image/'.length).split(';base64,', 2);
      return head.length < 40 ? urlOf(data) : undefined;
    }
    return isSvg(value) ? svgUrl(value) : undefined;
  }
  if (typeof value !== 'object' || value === null || !('data' in value) || !('mimeType' in value)) return undefined;
  const { data, mimeType } = value;
  const isImage = typeof mimeType === 'string' && mimeType.startsWith('image/');
  return isImage && typeof data === 'string' && data.length <= MOST ? urlOf(data) : undefined;
}

// --- internal ---

/** The longest image, in characters of base64. */
const MOST = 8_000_000;

/** The longest SVG, and the most references in it. Nested ones multiply. */
const MOST_SVG = 500_000;
const MOST_REUSED = 16;

/** The first bytes of each type. */
const TYPES: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/u],
  ['image/jpeg', /^\xFF\xD8\xFF/u],
  ['image/gif', /^GIF8[79]a/u],
  ['image/webp', /^RIFF[^]{4}WEBP/u],
];

/** @param data Base64. */
function urlOf(data: string): string | undefined {
  if (!/^[\w+/]+={0,2}$/u.test(data)) return undefined;
  const start = bytesOf(data.slice(0, 64));
  const type = TYPES.find(([, pattern]) => pattern.test(start))?.[0];
  if (type !== undefined) return `data:${type};base64,${data}`;
  if (data.length > MOST_SVG) return undefined;
  const text = new TextDecoder().decode(Uint8Array.from(bytesOf(data), (byte) => byte.charCodeAt(0)));
  return isSvg(text) ? svgUrl(text) : undefined;
}

/** @returns A character for each byte; '' for invalid base64. */
function bytesOf(data: string): string {
  try {
    return atob(data);
  } catch {
    return '';
  }
}

function isSvg(text: string): boolean {
  return /^\s{0,20}(?:<\?xml[^>]{0,200}>\s{0,20})?<svg[\s>]/u.test(text.slice(0, 300));
}

/** The browser draws it as a picture: no script runs, and nothing is loaded. */
function svgUrl(text: string): string | undefined {
  const reused = text.length > MOST_SVG ? MOST_REUSED : (text.match(/\buse\b|url\(/giu) ?? []).length;
  if (reused >= MOST_REUSED || /<!(?:ENTITY|DOCTYPE)/iu.test(text)) return undefined;
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\uFFFD'))}`;
}
