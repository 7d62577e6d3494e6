/**
 * An agent of the Agent Client Protocol that has another program do its work. The argument is the program, for Node.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: unknown;
  readonly method: string;
  readonly params: { readonly cwd: string; readonly prompt: readonly { readonly text?: string }[] };
}

const [, , program = ''] = process.argv;
let folder = '.';

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  const result = answerTo(message);
  if (result) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n`);
}

function answerTo({ method, params }: Message): object | undefined {
  switch (method) {
    case 'initialize':
      return { protocolVersion: 1, agentCapabilities: {} };
    case 'session/new':
      folder = params.cwd;
      return { sessionId: 's' };
    case 'session/prompt':
      execFileSync(process.execPath, [program], {
        cwd: folder,
        input: params.prompt.map(({ text = '' }) => text).join(''),
      });
      return { stopReason: 'end_turn' };
    default:
      return undefined;
  }
}
