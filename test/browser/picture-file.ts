/**
 * The file that describes the pictures of the documentation: a section for each, with the hash of the picture that it was written
 * with.
 *
 * @module
 */
import { createHash } from 'node:crypto';

/** Writes the section of a picture. */
export function pictureSection(name: string, picture: Uint8Array, description: string): string {
  const hash = createHash('sha256').update(picture).digest('hex');
  return `# ${name}.png ${hash}\n\n${description}\n`;
}
