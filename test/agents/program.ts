/**
 * A scripted agent: a program whose first argument is a script, and whose others are those of a profile.
 *
 * The script is JSON: a list of turns, one for each start of the program, each a list of steps. `rig.ts` writes it.
 *
 * @module
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Script, Step } from './script.ts';

const [script = '', ...args] = process.argv.slice(2);
const { turns, asked } = JSON.parse(readFileSync(script, 'utf8')) as Script;
const turn = existsSync(asked) ? readFileSync(asked, 'utf8').split('\n').length - 1 : 0;
const steps = turns[turn] ?? [];
let prompt = '';
const isDeaf = steps[0]?.type === 'deaf';
let promptId: unknown;
let servers: readonly McpServer[] = [];
const answers = new Map<unknown, (result: unknown) => void>();
if (args[0] === '--acp') {
  // The steps of a turn that never begins are taken at once.
  if (steps[0]?.type === 'hang' || steps[0]?.type === 'exit') await take(steps[0]);
  for await (const line of createInterface({ input: process.stdin })) void receive(JSON.parse(line) as Message);
  process.exit(0);
}
if (steps[0]?.type !== 'ignoreInput') for await (const piece of process.stdin.setEncoding('utf8')) prompt += piece;
// A command agent may give it as an argument, or as the path of a file.
if (args[0] === '--prompt') prompt = args[1] ?? '';
if (args[0] === '--prompt-file') prompt = readFileSync(args[1] ?? '', 'utf8');
await play();

// --- internal ---

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly prompt?: readonly { readonly text?: string }[];
    readonly modeId?: string;
    readonly cwd?: string;
    readonly mcpServers?: readonly McpServer[];
  };
  readonly result?: unknown;
}

interface McpServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Notes the question, and takes all steps. */
async function play(): Promise<void> {
  appendFileSync(asked, `${JSON.stringify(question())}\n`);
  for (const step of steps) await take(step);
}

/** Receives a message of ACP. */
async function receive({ id, method, params, result }: Message): Promise<void> {
  switch (method) {
    case undefined:
      answers.get(id)?.(result);
      return;
    case 'initialize':
      return send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
    case 'session/new':
      servers = params?.mcpServers ?? [];
      return send({ id, result: { sessionId: `s:${params?.cwd}` } });
    case 'session/set_mode':
      args.push(`mode:${params?.modeId}`);
      return send({ id, result: {} });
    case 'session/prompt':
      promptId = id;
      prompt = params?.prompt?.map((one) => one.text ?? '').join('') ?? '';
      return play();
    case 'session/cancel':
      appendFileSync(asked, `${JSON.stringify({ prompt: 'session/cancel', args })}\n`);
      if (!isDeaf) await send({ id: promptId, result: { stopReason: 'cancelled' } });
      return;
    default:
      return send({ id, error: { code: -32_601, message: 'Method not found' } });
  }
}

function send(message: object): Promise<void> {
  return write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function say(text: string): Promise<void> {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return send({ method: 'session/update', params: { sessionId: 's', update } });
}

/** Calls the first tool of the MCP server, and returns its description and its answers. */
async function submit(values: readonly unknown[]): Promise<readonly string[]> {
  const [server] = servers;
  if (!server) return ['no server'];
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(server.command, server.args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const call = async (id: number, method: string, params: object): Promise<unknown> => {
    child.stdin.write(`${filled(JSON.stringify({ jsonrpc: '2.0', id, method, params }))}\n`);
    const { value } = (await lines.next()) as { readonly value: string };
    return (JSON.parse(value) as { readonly result: unknown }).result;
  };
  await call(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { tools } = (await call(1, 'tools/list', {})) as { readonly tools: readonly { readonly name: string }[] };
  const said = [JSON.stringify(tools)];
  for (const [at, value] of values.entries())
    said.push(JSON.stringify(await call(at + 2, 'tools/call', { name: tools[0]?.name, arguments: value })));
  const ended = new Promise((resolve) => void child.on('close', resolve));
  child.stdin.end();
  await ended;
  return said;
}

function question(): Asked {
  const env = Object.entries(process.env).flatMap(([name, value = '']) =>
    name.startsWith('PHASEGATE_') ? [[name, value] as const] : [],
  );
  const at = args.indexOf('--output-schema');
  const schema: unknown = at === -1 ? undefined : JSON.parse(readFileSync(args[at + 1] ?? '', 'utf8'));
  return { prompt, args, env: Object.fromEntries(env), cwd: process.cwd(), schema };
}

async function take(step: Step): Promise<void> {
  switch (step.type) {
    case 'ignoreInput':
      return;
    case 'json':
      return write(
        `${JSON.stringify(step.line, (_, value: unknown) => (typeof value === 'string' ? filled(value) : value))}\n`,
      );
    case 'text':
      return write(filled(step.text));
    case 'bytes':
      return write(Buffer.from(step.base64, 'base64'));
    case 'file':
      return write(readFileSync(step.path));
    case 'giant':
      return write(`${JSON.stringify({ type: 'giant', text: 'x'.repeat(step.length) })}\n`);
    case 'flood': {
      const some = `${JSON.stringify(step.line)}\n`.repeat(1000);
      for (let written = 0; written < step.count; written += 1000) await write(some);
      return;
    }
    case 'stderr':
      return write(step.text, process.stderr);
    case 'deaf':
      process.on('SIGTERM', () => undefined);
      return;
    case 'background':
      spawn(process.execPath, ['--eval', deafChild(step.path)], { stdio: 'inherit' }).unref();
      return fileAt(step.path);
    case 'create':
      writeFileSync(step.path, step.content);
      return;
    case 'waitFor':
      return fileAt(step.path);
    case 'hang':
      setInterval(() => undefined, 1_000_000);
      return new Promise(() => undefined);
    case 'kill':
      process.kill(process.pid, step.signal);
      return new Promise(() => undefined);
    case 'ask': {
      const id = `ask-${answers.size}`;
      const options =
        step.options ?? ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));
      const answer = new Promise((resolve) => void answers.set(id, resolve));
      await send({
        id,
        method: 'session/request_permission',
        params: { sessionId: 's', toolCall: withServer(step.toolCall), options },
      });
      return say(JSON.stringify(await answer));
    }
    case 'submit':
      for (const said of await submit(step.values)) await say(`${said}\n`);
      return;
    case 'stop':
      return send({ id: promptId, result: step.response });
    case 'error':
      return send({ id: promptId, error: { code: step.code, message: step.message } });
    case 'exit':
      process.exit(step.code);
  }
}

/** Writes, and waits until the system has taken it. */
function write(data: string | Uint8Array, to: NodeJS.WriteStream = process.stdout): Promise<void> {
  return new Promise((resolve) => void to.write(data, () => resolve()));
}

/** Puts facts of the turn in their places. */
function filled(text: string): string {
  return text
    .replaceAll('<nonce>', () => /"nonce": "([0-9a-f-]{36})"/u.exec(prompt)?.[1] ?? 'none')
    .replaceAll('<mark>', () => process.env['PHASEGATE_AGENT'] ?? 'none')
    .replaceAll('<prompt>', () => prompt);
}

/** A tool call with the name of the MCP server in its place. */
function withServer(toolCall: object): unknown {
  return JSON.parse(JSON.stringify(toolCall).replaceAll('<server>', () => servers[0]?.name ?? 'none'));
}

/** A child that is deaf to SIGTERM and never ends. It writes its id. */
function deafChild(path: string): string {
  return `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(path)}, String(process.pid)); setInterval(() => {}, 1e6)`;
}

async function fileAt(path: string): Promise<void> {
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') await sleep(5);
}
