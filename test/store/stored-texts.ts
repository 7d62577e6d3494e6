/** The tables of a store in SQL that have texts, and the columns of these. */
export const STORED_TEXTS = [
  ['runs', 'info'],
  ['records', 'record'],
  ['items', 'item'],
  ['messages', 'message'],
  ['memories', 'memory'],
  ['artifacts', 'content'],
] as const;
