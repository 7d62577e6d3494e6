/**
 * Secrets in the headers of a client.
 *
 * @module
 */
import { rememberSecrets } from '../model/values/known-secrets.ts';

/** A client that can build the headers of its requests. */
interface Sender {
  readonly apiKey?: unknown;
  readonly buildRequest?: unknown;
}

/**
 * Registers the key and the headers of a client as secrets, which are masked in all later texts. Never throws.
 *
 * Keys may be created for each request, so call this after a request was sent, and before its response is read.
 */
export async function rememberHeaders(client: Sender): Promise<void> {
  const { apiKey } = client;
  if (typeof apiKey === 'string') rememberSecrets([apiKey]);
  try {
    rememberSecrets([...(await headersOf(client))].flatMap(secretsIn));
  } catch {
    // If a client builds its requests in another way, at least its key is known.
  }
}

// --- internal ---

/** Headers that are not secret by their purpose. */
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

/** The value of a header; if it begins with a scheme, also the part after that. */
function secretsIn([name, value]: readonly [string, string]): readonly string[] {
  if (PUBLIC.test(name.toLowerCase())) return [];
  const scheme = /^[A-Za-z]{1,20} /u.exec(value)?.[0] ?? '';
  return scheme === '' ? [value] : [value, value.slice(scheme.length)];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
