/**
 * The page that a browser opens. It shows the inspector in a frame, and forwards messages of the run to it.
 *
 * The inspector itself is a page of the web. It has no access to this machine, and gets all data as messages from this page. So it
 * never learns the address of the run, and reads nothing after this page was closed.
 *
 * @module
 */

/** A page and its response headers. */
export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Creates the page.
 *
 * @param inspector The address of the inspector.
 * @param nonce A random value that the scripts of this response have, and no others.
 */
export function pageOf(inspector: URL, nonce: string): Page {
  // The inspector may redirect to a subdomain of its host.
  const frames = `${inspector.origin} ${inspector.protocol}//*.${inspector.host}`;
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `connect-src 'self' ws://127.0.0.1:* ws://localhost:*`,
    `frame-src ${frames}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ];
  return {
    html: HTML.replaceAll('{{nonce}}', nonce)
      .replaceAll('{{inspector}}', attribute(inspector.href))
      .replaceAll('{{host}}', attribute(inspector.host)),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      // The frame must not learn the page's secret address.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  };
}

// --- internal ---

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** The frame sends `@statelyai.connected` each time it is ready. The page then connects to the run again. */
const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>phasegate: inspected run</title>
<style nonce="{{nonce}}">
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; font: 14px/1.4 system-ui, sans-serif; color-scheme: light dark; }
p { margin: 0; padding: 4px 12px; }
iframe { flex: 1; border: 0; }
</style>
</head>
<body>
<p id="state" role="status">Waiting for the inspector at {{host}}, which needs an internet connection.</p>
<iframe id="inspector" title="Stately inspector" src="{{inspector}}" data-host="{{host}}"></iframe>
<script nonce="{{nonce}}">
const frame = document.getElementById('inspector');
const state = document.getElementById('state');
const own = frame.dataset.host;
let socket;
let count = 0;
function isInspector(origin) {
  const host = new URL(origin).host;
  return host === own || host.endsWith('.' + own);
}
function connect(origin) {
  if (socket) socket.onmessage = socket.onclose = null;
  if (socket) socket.close();
  count = 0;
  state.textContent = 'Connecting to the run.';
  socket = new WebSocket(location.href.replace(/^http/, 'ws'));
  socket.onmessage = (message) => {
    count += 1;
    state.textContent = 'Connected to the run. Messages: ' + count;
    frame.contentWindow.postMessage(JSON.parse(message.data), origin);
  };
  socket.onclose = () => {
    state.textContent = 'The run has ended, or no longer serves its inspector. Messages: ' + count;
  };
}
addEventListener('message', (event) => {
  if (event.source !== frame.contentWindow || !isInspector(event.origin)) return;
  if (event.data && event.data.type === '@statelyai.connected') connect(event.origin);
});
</script>
</body>
</html>
`;
