/**
 * What a client sends that nobody else may see.
 *
 * @module
 */
import { rememberSecrets } from '../model/values/known-secrets.ts';

/** A client that can say which headers its requests have. */
interface Sender {
  readonly apiKey?: unknown;
  readonly buildRequest?: unknown;
}

/**
 * Has the key and the headers of a client masked in all texts from now on. Never throws.
 *
 * Keys may be made for each request, so this is called when one has been sent, and before anything of its answer is read.
 */
export async function rememberHeaders(client: Sender): Promise<void> {
  const { apiKey } = client;
  if (typeof apiKey === 'string') rememberSecrets([apiKey]);
  try {
    rememberSecrets([...(await headersOf(client))].flatMap(secretsIn));
  } catch {
    // A client that builds its requests in another way has told its key.
  }
}

// --- internal ---

/** Headers that say nothing of who sends them, or that are no secret by what they are for. */
const PUBLIC =
  /^(?:accept(?:-.*)?|cache-control|connection|content-(?:type|length|encoding)|host|http-referer|openai-beta|anthropic-version|origin|referer|user-agent|x-stainless-.*|x-title)$/u;

async function headersOf(client: Sender): Promise<Headers> {
  if (typeof client.buildRequest !== 'function') return new Headers();
  const request: unknown = { method: 'post', path: '/chat/completions', body: {} };
  const built: unknown = await Reflect.apply(client.buildRequest, client, [request, { retryCount: 0 }]);
  const req: unknown = fieldOf(built, 'req');
  const headers = fieldOf(req, 'headers');
  return headers instanceof Headers ? headers : new Headers();
}

/** The value of a header, and of one with a scheme what follows it. */
function secretsIn([name, value]: readonly [string, string]): readonly string[] {
  if (PUBLIC.test(name.toLowerCase())) return [];
  const scheme = /^[A-Za-z]{1,20} /u.exec(value)?.[0] ?? '';
  return scheme === '' ? [value] : [value, value.slice(scheme.length)];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
