/**
 * SHA-256 of texts: by the platform if it has a synchronous one, as Node.js has, else in JavaScript.
 *
 * @module
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Returns the SHA-256 of texts one after the other, encoded as UTF-8, in hex. */
export function sha256Hex(texts: Iterable<string>): string {
  const hash = startSha256();
  for (const text of texts) hash.add(text);
  return hash.hex();
}

/** A SHA-256 of texts, one after the other. */
export interface RunningSha256 {
  add(text: string): void;
  /** That of the texts so far, in hex. */
  hex(): string;
}

/** Starts a SHA-256. */
export function startSha256(): RunningSha256 {
  const hash = crypto?.createHash('sha256');
  if (!hash) return inJavaScript();
  return { add: (text) => void hash.update(text), hex: () => hash.copy().digest('hex') };
}

/** Starts the same without the platform: for browsers, whose own SHA-256 is asynchronous. */
export function inJavaScript(): RunningSha256 {
  const hash = sha256.create();
  return { add: (text) => void hash.update(utf8ToBytes(text)), hex: () => bytesToHex(hash.clone().digest()) };
}

// --- internal ---

/** The used part of the module `crypto` of Node.js. */
interface NodeCrypto {
  createHash(name: 'sha256'): NodeHash;
}

interface NodeHash {
  update(text: string): unknown;
  copy(): NodeHash;
  digest(encoding: 'hex'): string;
}

/** A Node.js process, as this file knows it. A browser has none, and a bundler must not see an import. */
interface NodeProcess {
  getBuiltinModule?(name: 'crypto'): NodeCrypto | undefined;
}

const { process } = globalThis as { readonly process?: NodeProcess };
const crypto = process?.getBuiltinModule?.('crypto');
