/**
 * Layers and folders of the code, and what each may import. `architecture.test.ts` enforces them, ARCHITECTURE.md shows them.
 *
 * @module
 */

/** The layers that each layer may import besides itself. An entry, such as `src/index.ts`, is a layer of its own. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  model: ['zod', '@standard-schema/spec', 'safe-stable-stringify', '@noble/hashes', 'ulid'],
  projections: ['model', 'zod', 'diff'],
  machines: ['model', 'xstate'],
  actors: ['model', 'machines'],
  workspaces: ['model', 'actors', 'zod', 'node:'],
  store: ['model', 'projections', 'pg'],
  runtime: ['model', 'projections', 'machines', 'actors', 'store', 'xstate', 'rxjs'],
  visualizations: ['model', 'projections'],
  index: ['model', 'projections', 'machines', 'runtime', 'store'],
  inbox: ['projections', 'runtime'],
  records: ['model', 'projections'],
  quality: ['projections'],
  sqlite: ['store'],
  postgres: ['store'],
  restate: ['model', 'projections', 'store', 'runtime', 'zod', '@restatedev/restate-sdk'],
  node: ['model', 'actors'],
  llm: ['model', 'zod'],
  fleet: ['model', 'actors', 'agents', 'workspaces', 'zod'],
  openai: ['model', 'llm', 'zod', 'openai'],
  agents: ['model', 'actors', 'llm', 'zod', 'node:'],
  acp: ['model', 'actors', 'agents', '@agentclientprotocol/sdk'],
  inspect: ['model', 'xstate', 'ws', '@statelyai/inspect', 'node:'],
  otel: ['model', '@opentelemetry/api'],
  server: [
    'model',
    'projections',
    'store',
    'runtime',
    'machines',
    'visualizations',
    'fleet',
    'workspaces',
    'hono',
    '@hono/node-server',
    'zod',
    'node:',
  ],
  dashboard: ['server'],
  testing: [
    'model',
    'projections',
    'store',
    'runtime',
    'llm',
    'agents',
    'workspaces',
    'xstate',
    'zod',
    'fast-check',
    'node:',
  ],
};

/**
 * The folders of each layer, in order. A file imports only from its own folder and from later ones, so folders form
 * no cycle.
 * `.` is the layer's own folder.
 */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  model: [
    'analysis',
    'definition',
    'ledger',
    'handlers',
    'review',
    'events',
    'revision',
    'plan',
    'decision',
    'errors',
    'values',
  ],
  projections: ['compare', 'search', 'coverage', 'alerts', 'wording', 'inbox', 'run', 'quality', 'timeline', 'doctor'],
  machines: ['pipeline', 'replay', 'coordinator', 'phase'],
  actors: ['attempt', 'review', 'work', 'command'],
  workspaces: ['operations', 'snapshot', 'place', 'marker', 'git', '.'],
  store: ['sqlite', 'postgres', 'sql', '.'],
  runtime: ['workers', 'steps', '.', 'inbox', 'records', 'resuming'],
  visualizations: ['statechart', 'pictures', 'layout'],
  server: ['.', 'http', 'streams'],
  llm: ['work', 'review', 'call'],
  agents: ['work', 'submit', 'command', 'jsonl', 'process', '.'],
  cli: [
    '.',
    'fleet',
    'commands',
    'run',
    'live-tree',
    'report',
    'completion',
    'show',
    'load',
    'dashboard',
    'inbox',
    'options',
    'process',
    'terminal',
  ],
};
