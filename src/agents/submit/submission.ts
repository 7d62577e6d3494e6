/**
 * A tool by which an agent submits its answer during a turn, for agents that take servers of the Model Context Protocol.
 *
 * The agent starts a small program, which connects it to this process. So the answer is validated here, where its schema is.
 *
 * @module
 */
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { elided } from '../../model/values/text-limits.ts';
import type { AgentResult, AgentTurn } from '../agent.ts';
import { createLineSplitter } from '../process/line-splitter.ts';
import { withFolder } from '../process/turn-files.ts';
import { answerTo, type Tool } from './tool-server.ts';

/** The offered tool. */
export interface Submission {
  /** The server that has the tool. Its name is new for each turn, so that no other server has it. */
  readonly server: { readonly name: string; readonly command: string; readonly args: readonly string[] };
  /** True if an agent asks for its tool by this title. Agents know the name of the server, so the whole title has to be one of a tool. */
  readonly isTitle: (title: string) => boolean;
  /** The instruction for the agent. */
  readonly instruction: string;
}

/**
 * Takes a turn whose answer has a schema. The agent is offered the tool, and a submitted answer is the `value` of the result. Without a
 * schema, or if this machine cannot offer the tool, the turn is taken without it.
 */
export async function withSubmission(
  { schema, check }: Pick<AgentTurn, 'schema' | 'check'>,
  take: (offered: Submission | undefined) => Promise<AgentResult>,
): Promise<AgentResult> {
  if (!schema) return take(undefined);
  return withFolder(async (folder) => {
    const answer = createAnswer(check);
    const tool = { name: TOOL, description: DESCRIPTION, inputSchema: schema.schema, call: answer.call };
    const id = crypto.randomUUID();
    const path = process.platform === 'win32' ? `\\\\.\\pipe\\phasegate-${id}` : join(folder, 's');
    const close = await listen(path, tool);
    if (!close) return take(undefined);
    try {
      const name = `phasegate-${id.slice(0, 8)}`;
      const server = { name, command: process.execPath, args: ['-e', RELAY, path] };
      const titles = titlesOf(name);
      const isTitle = (title: string) => titles.includes(title.trim());
      const result = await take({ server, isTitle, instruction: instructionFor(name) });
      const submitted = answer.submitted();
      return submitted ? { ...result, value: submitted.value } : result;
    } finally {
      close();
    }
  });
}

// --- internal ---

const TOOL = 'submit';
const DESCRIPTION = 'Submits the answer of your task, once the work is done. It is checked, and problems are returned.';
/** Most calls with a wrong answer. */
const MOST_WRONG = 5;
const LONGEST_PROBLEM = 4000;
/** Most bytes of a message. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Most clients at the same time. */
const MOST_CLIENTS = 8;

/** The program that the agent starts. It copies its input to the socket, and what the socket answers to its output. */
const RELAY =
  "import('node:net').then(({connect})=>{const s=connect(process.argv[1]);process.stdin.pipe(s).pipe(process.stdout);s.on('error',()=>process.exit(1)).on('close',()=>process.stdin.destroy())})";

/** The titles by which agents ask for the tool of a server. */
function titlesOf(server: string): readonly string[] {
  const joined = ['__', '_', '-', '/', '.', ': ', ':', ' - ', ' '].map((between) => `${server}${between}${TOOL}`);
  return [
    ...joined,
    `mcp__${server}__${TOOL}`,
    `mcp_${server}_${TOOL}`,
    `Tool: ${server}/${TOOL}`,
    `${TOOL} (${server} MCP Server)`,
    `${TOOL} (${server})`,
  ];
}

function instructionFor(server: string): string {
  return `If you have the tool \`${TOOL}\` of the MCP server \`${server}\`, call it with that JSON value in place of the code fence, and correct what it reports. Otherwise write the code fence.`;
}

/** The answer so far. The last one that is right counts. */
function createAnswer(check: AgentTurn['check']): {
  readonly call: Tool['call'];
  readonly submitted: () => { readonly value: unknown } | undefined;
} {
  let submitted: { readonly value: unknown } | undefined;
  let wrong = 0;
  return {
    submitted: () => submitted,
    async call({ value, problem: unreadable }) {
      if (wrong >= MOST_WRONG) return { text: 'Too many answers were wrong. End your turn.', isError: true };
      const problem = unreadable ?? (await check?.(value));
      if (problem === undefined) {
        submitted = { value };
        return { text: 'The answer is taken. End your turn.', isError: false };
      }
      wrong += 1;
      return { text: `The answer cannot be used: ${elided(problem, LONGEST_PROBLEM)}`, isError: true };
    },
  };
}

/** Serves the tool. @returns The function that stops it; `undefined` if the path cannot be used. */
async function listen(path: string, tool: Tool): Promise<(() => void) | undefined> {
  const clients = new Set<Socket>();
  const server = createServer((socket) => {
    clients.add(socket);
    socket.on('close', () => clients.delete(socket)).on('error', () => undefined);
    serve(socket, tool);
  });
  server.maxConnections = MOST_CLIENTS;
  server.unref();
  if (!(await isListening(server, path))) return undefined;
  return () => {
    server.close();
    for (const client of clients) client.destroy();
  };
}

function isListening(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.on('error', () => resolve(false)).listen(path, () => resolve(true));
  });
}

function serve(socket: Socket, tool: Tool): void {
  const lines = createLineSplitter(MOST_BYTES, {
    line(text) {
      answerTo(text, tool).then(
        (answer) => {
          if (answer !== undefined && socket.writable) socket.write(`${answer}\n`);
        },
        () => socket.destroy(),
      );
    },
    tooLong: () => void socket.destroy(),
  });
  socket.on('data', (chunk: Uint8Array) => lines.push(chunk));
}
