/**
 * The parts of SVG pictures. They use no external resources: no fonts, no scripts, no images.
 *
 * @module
 */
import type { Box, NodeSize, Point } from '../layout/arrange.ts';
import { shortened, widthInCharacters } from '../layout/text-size.ts';
import { visible } from './outline.ts';
import type { StandingTone } from './run-standing.ts';
import { darkToneColours, toneColours, tones, type ToneColours } from './tones.ts';

/** A box with text in it. */
export interface TextBox {
  readonly title: string;
  /** Smaller lines below the title. */
  readonly lines: readonly string[];
  readonly tone: StandingTone | undefined;
}

/** A whole picture. */
export interface SvgPicture extends NodeSize {
  readonly title: string;
  /** A description in sentences, for people who do not see the picture. */
  readonly description: string;
  /** The elements from back to front. */
  readonly body: readonly string[];
}

/** Formats a picture as a document of its own. It can also be embedded in a page. */
export function svgDocument({ title, description, width, height, body }: SvgPicture): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="phasegate" role="img" aria-labelledby="pg-title pg-desc" ${size}>`,
    `<title id="pg-title">${svgText(title)}</title>`,
    `<desc id="pg-desc">${svgText(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<defs>${marker('pg-arrow', 'head')}${marker('pg-taken', 'head taken')}</defs>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...body,
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

/** Escapes untrusted text for XML. */
export function svgText(text: string): string {
  return visible(text)
    .replaceAll(/[\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The size of a box with its text. */
export function textBoxSize({ title, lines }: TextBox): NodeSize {
  const widths = [
    widthInCharacters(shortened(title, LONGEST)) * NAME_WIDTH,
    ...lines.map((one) => widthInCharacters(shortened(one, LONGEST)) * LINE_WIDTH),
  ];
  const width = Math.ceil(widths.reduce((most, one) => Math.max(most, one), 64)) + 2 * INSET;
  return { width, height: 36 + lines.length * LINE };
}

/** Draws a box with its text. A page shows the full text as a tooltip. */
export function textBox(box: Box, { title, lines, tone }: TextBox): string {
  const [left, top] = [box.x - box.width / 2, box.y - box.height / 2];
  const rows = lines.map(
    (line, at) =>
      `<text class="line" x="${left + INSET}" y="${top + 42 + at * LINE}">${svgText(shortened(visible(line), LONGEST))}</text>`,
  );
  return [
    `<g class="box${tone === undefined ? '' : ` ${tone}`}">`,
    `<title>${svgText([title, ...lines].join(' – '))}</title>`,
    `<rect x="${left}" y="${top}" width="${box.width}" height="${box.height}" rx="8"/>`,
    `<text class="name" x="${left + INSET}" y="${top + 23}">${svgText(shortened(visible(title), LONGEST))}</text>`,
    ...rows,
    '</g>',
  ].join('');
}

/** Draws an arrow through points. It is horizontal at its ends and in the columns that it passes. */
export function arrowThrough(points: readonly Point[]): string {
  const [start, ...others] = points;
  if (!start) return '';
  let before = start;
  const steps = others.map((point) => {
    const middle = Math.round((before.x + point.x) / 2);
    const step =
      before.y === point.y
        ? `L${point.x} ${point.y}`
        : `C${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    before = point;
    return step;
  });
  return `<path class="way" marker-end="url(#pg-arrow)" d="M${start.x} ${start.y}${steps.join('')}"/>`;
}

/** Draws a way back along a curve. @param taken True to draw a solid line, else a dashed one. */
export function arrowBack([start, one, two, end]: readonly Point[], taken: boolean): string {
  if (!start || !one || !two || !end) return '';
  const d = `M${start.x} ${start.y}C${one.x} ${one.y} ${two.x} ${two.y} ${end.x} ${end.y}`;
  return `<path class="way ${taken ? 'taken' : 'back'}" marker-end="url(#${taken ? 'pg-taken' : 'pg-arrow'})" d="${d}"/>`;
}

/** Draws the label of a way back at its lowest point. */
export function labelBack([start, one, two, end]: readonly Point[], label: string): string {
  if (!start || !one || !two || !end || label === '') return '';
  const x = Math.round((start.x + 3 * one.x + 3 * two.x + end.x) / 8);
  const y = Math.round((start.y + 3 * one.y + 3 * two.y + end.y) / 8);
  return `<text class="label" x="${x}" y="${y - 4}">${svgText(label)}</text>`;
}

// --- internal ---

/** Characters of a line. Longer lines are cut. */
const LONGEST = 48;
/** Pixels of an average character, in wide fonts. */
const NAME_WIDTH = 9.7;
const LINE_WIDTH = 7.4;
const INSET = 12;
const LINE = 17;

const STYLE = [
  '.phasegate text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif}',
  '.phasegate .name{font-size:14px;font-weight:600}',
  '.phasegate .line{font-size:12px}',
  '.phasegate .label{font-size:11px;text-anchor:middle;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}',
  '.phasegate .way{fill:none;stroke-width:1.5px}',
  '.phasegate .back{stroke-dasharray:5 4}',
  '.phasegate .taken{stroke-width:2.5px}',
  '.phasegate .box rect{stroke-width:1.5px}',
  colours({ ground: '#ffffff', plain: { fill: '#f6f8fa', line: '#57606a', text: '#1f2328' } }, toneColours),
  `@media (prefers-color-scheme:dark){${colours({ ground: '#0d1117', plain: { fill: '#161b22', line: '#8b949e', text: '#e6edf3' } }, darkToneColours)}}`,
].join('');

function colours(
  { ground, plain }: { readonly ground: string; readonly plain: ToneColours },
  byTone: Readonly<Record<StandingTone, ToneColours>>,
): string {
  const { warn } = byTone;
  return [
    `.phasegate .ground{fill:${ground}}`,
    `.phasegate .way{stroke:${plain.line}}`,
    `.phasegate .head{fill:${plain.line}}`,
    `.phasegate .way.taken{stroke:${warn.line}}`,
    `.phasegate .head.taken{fill:${warn.line}}`,
    `.phasegate .label{fill:${plain.text};stroke:${ground}}`,
    boxColours('.box', plain),
    ...tones.map((tone) => boxColours(`.box.${tone}`, byTone[tone])),
  ].join('');
}

function boxColours(box: string, { fill, line, text }: ToneColours): string {
  return `.phasegate ${box} rect{fill:${fill};stroke:${line}}.phasegate ${box} text{fill:${text}}`;
}

function marker(id: string, style: string): string {
  const place =
    'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"';
  return `<marker id="${id}" ${place}><path class="${style}" d="M0 0L10 5L0 10z"/></marker>`;
}
