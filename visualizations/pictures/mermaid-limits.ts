/**
 * The limits of Mermaid, beyond which it draws an error instead of a diagram.
 *
 * @module
 */

/** The default of `maxEdges` in Mermaid: the most arrows of a flowchart. */
export const MOST_EDGES = 500;

/** The default of `maxTextSize` in Mermaid: the most characters of a diagram. */
export const MOST_CHARACTERS = 50_000;

/** Says by how much a flowchart is larger than Mermaid draws by default; `undefined` if it is not. */
export function mermaidExcess(flowchart: string): string | undefined {
  const edges = flowchart.split('\n').filter((line) => ARROW.test(line)).length;
  const over = [
    ...(edges > MOST_EDGES ? [`${edges} arrows, and Mermaid draws ${MOST_EDGES} (maxEdges)`] : []),
    ...(flowchart.length > MOST_CHARACTERS
      ? [`${flowchart.length} characters, and Mermaid reads ${MOST_CHARACTERS} (maxTextSize)`]
      : []),
  ];
  return over.length === 0
    ? undefined
    : `Too large for the defaults of Mermaid: ${over.join('; ')}. Raise them in its configuration, or draw an SVG.`;
}

// --- internal ---

/** A line with an arrow. Texts of users are in quotes and have no `>`. */
const ARROW = /^ +p\d[tg\d]* (?:-->|-\.|==)/u;
