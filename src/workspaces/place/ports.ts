/**
 * TCP ports for workspaces, so that servers which agents start do not collide.
 *
 * @module
 */
import { createServer } from 'node:net';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { sha256Hex } from '../../model/values/sha256.ts';

/** Consecutive ports. */
export interface Ports {
  readonly first: number;
  readonly count: number;
}

/**
 * Chooses ports that no other workspace has and that nothing listens on. The search begins at a place that depends on the
 * attempt.
 */
export async function choosePorts(count: number, taken: readonly Ports[], key: string): Promise<Ports> {
  if (count === 0) return { first: 0, count };
  const places = Math.floor((LAST - FIRST + 1) / count);
  const start = Number.parseInt(sha256Hex([key]).slice(0, 8), 16) % places;
  for (let step = 0; step < places; step++) {
    const first = FIRST + ((start + step) % places) * count;
    const overlaps = taken.some((other) => first < other.first + other.count && other.first < first + count);
    if (!overlaps && (await areFree(first, count))) return { first, count };
  }
  throw new PhasegateError('WORKSPACE_REFUSED', `Cannot open a workspace as no ${count} ports in a row are free`, {
    hint: 'Stop servers, remove workspaces, or set `ports` to a lower number.',
  });
}

// --- internal ---

const FIRST = 20_000;
/** The last port below those that Linux gives to connections. */
const LAST = 32_767;

async function areFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port++) if (!(await isFree(port))) return false;
  return true;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
