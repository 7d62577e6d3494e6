/**
 * The contract of agents, with real programs behind each adapter.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { acpAgent } from '../../src/acp.ts';
import { commandAgent, jsonlAgent, type Agent } from '../../src/agents.ts';
import { agentCases } from '../../src/testing/agent-contract.ts';
import type { Scene, Stage } from '../../src/testing/agents/scene.ts';
import { scriptedIn } from './rig.ts';
import type { Step } from './script.ts';
import { acpText, acpUpdate, CLAUDE, CODEX, GEMINI, type Lines } from './lines.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'phasegate-agents-')));
let folders = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.each([
  ['claude', CLAUDE],
  ['codex', CODEX],
  ['gemini', GEMINI],
] as const)('jsonlAgent(%o)', (profile, lines) => {
  const make = (scene: Scene): Stage => {
    const folder = newFolder();
    const { program, cwd } = scriptedIn(folder, [jsonSteps(lines, scene, join(folder, 'child'))]);
    const deadlines = { handshake: scene === 'mute' ? 400 : 60_000, silence: scene === 'silent' ? 200 : 60_000 };
    const missing = scene === 'missing' && (['no-such-program-x'] as const);
    return { agent: jsonlAgent(profile, { program: missing || program, maxLineBytes: 1_000_000, ...deadlines }), cwd };
  };
  const cases = agentCases(make, profile === 'claude' ? [...SCENES, 'refused'] : SCENES);
  it.concurrent.each(cases.map((one) => [one.about, one.name, one.run] as const))('%s %s', (_about, _name, run) =>
    run(),
  );
});

describe('acpAgent()', () => {
  const make = (scene: Scene): Stage => {
    const folder = newFolder();
    const { program, cwd } = scriptedIn(folder, [acpSteps(scene, join(folder, 'child'))]);
    const [first, ...args] = program;
    const command = scene === 'missing' ? 'no-such-program-x' : first;
    const deadlines = { handshake: scene === 'mute' ? 400 : 60_000, silence: scene === 'silent' ? 200 : 60_000 };
    return { agent: acpAgent({ command, args: [...args, '--acp'], maxLineBytes: 1_000_000, ...deadlines }), cwd };
  };
  // The prompt is a request, which an agent cannot answer without reading it.
  const cases = agentCases(make, [...SCENES.filter((one) => one !== 'ignores'), 'refused']);
  it.concurrent.each(cases.map((one) => [one.about, one.name, one.run] as const))('%s %s', (_about, _name, run) =>
    run(),
  );
});

describe.each(['stdin', 'file', 'argument'] as const)('commandAgent() with its prompt as %s', (prompt) => {
  const make = (scene: Scene): Stage => {
    const folder = newFolder();
    const { program, cwd } = scriptedIn(folder, [textSteps(scene, join(folder, 'child'))]);
    const words = { stdin: [], file: ['--prompt-file', '{prompt}'], argument: ['--prompt', '{prompt}'] }[prompt];
    const deadlines = { handshake: scene === 'mute' ? 400 : 0, silence: scene === 'silent' ? 200 : 60_000 };
    const line = scene === 'missing' ? (['no-such-program-x', ...words] as const) : ([...program, ...words] as const);
    const agent: Agent = commandAgent(line, { prompt, readOnly: true, ...deadlines });
    return { agent, cwd };
  };
  const scenes = SCENES.filter((one) => !NO_TEXT.has(one) && (one !== 'ignores' || prompt !== 'argument'));
  // Programs end in the same way, wherever their prompt is.
  const cases = agentCases(make, scenes).filter(({ about }) => about !== 'endings' || prompt === 'stdin');
  it.concurrent.each(cases.map((one) => [one.about, one.name, one.run] as const))('%s %s', (_about, _name, run) =>
    run(),
  );
});

// --- internal ---

function newFolder(): string {
  const folder = join(root, String((folders += 1)));
  mkdirSync(folder);
  return folder;
}

const SCENES: readonly Scene[] = [
  'done',
  'echo',
  'mark',
  'limit',
  'dies',
  'dies after',
  'leaves',
  'missing',
  'hangs',
  'deaf',
  'mute',
  'silent',
  'ignores',
  'unknown',
  'noise',
  'half',
  'giant',
  'flood',
  'background',
  'rate',
];

/** Scenes that need a protocol: to a program of any kind, silence is an answer, and so is any text. */
const NO_TEXT: ReadonlySet<Scene> = new Set<Scene>(['limit', 'leaves', 'unknown', 'giant']);

const NOISE: Step = { type: 'bytes', base64: Buffer.from([0xff, 0xfe, 0, 0xc3, 10]).toString('base64') };
const RATE = 'Rate limit reached. Please try again in 1m 30s.';

/** The steps of a scene in the lines of a profile. */
function jsonSteps(lines: Lines, scene: Scene, child: string): readonly Step[] {
  const done = (text: string): readonly Step[] => lines.done(text).map((line) => ({ type: 'json', line }));
  const begin: readonly Step[] = [...lines.begin, ...lines.text('Working.')].map((line) => ({ type: 'json', line }));
  switch (scene) {
    case 'done':
      return done('Hello.');
    case 'echo':
      return done('<prompt>');
    case 'mark':
      return done('<mark>');
    case 'refused':
      return lines.refused.map((line) => ({ type: 'json', line }));
    case 'limit':
      return [...lines.limit.map((line): Step => ({ type: 'json', line })), { type: 'exit', code: 1 }];
    case 'rate':
      return [...lines.failed(RATE).map((line): Step => ({ type: 'json', line })), { type: 'exit', code: 1 }];
    case 'dies':
      return [...begin, { type: 'exit', code: 9 }];
    case 'dies after':
      return [...done('Hello.'), { type: 'exit', code: 9 }];
    case 'leaves':
      return begin;
    case 'missing':
      return [];
    case 'hangs':
      return [...begin, { type: 'hang' }];
    case 'deaf':
      return [{ type: 'deaf' }, { type: 'background', path: child }, ...begin, { type: 'hang' }];
    case 'mute':
      return [{ type: 'hang' }];
    case 'silent':
      return [...begin, { type: 'hang' }];
    case 'ignores':
      return [{ type: 'ignoreInput' }, ...done('Hello.')];
    case 'unknown':
      return [{ type: 'json', line: { type: 'from.the.future', x: [1] } }, ...done('Hello.')];
    case 'noise':
      return [NOISE, ...done('Hello.')];
    case 'half': {
      const all = lines.done('Hello.');
      const last = JSON.stringify(all.at(-1));
      return [...all.slice(0, -1).map((line): Step => ({ type: 'json', line })), { type: 'text', text: last }];
    }
    case 'giant':
      return [{ type: 'giant', length: 3_000_000 }, ...done('Hello.')];
    case 'flood':
      return [{ type: 'flood', count: 100_000, line: lines.text('Step.')[0] }, ...done('Hello.')];
    case 'background':
      return [{ type: 'background', path: child }, ...done('Hello.')];
  }
}

/** The steps of a scene over ACP. */
function acpSteps(scene: Scene, child: string): readonly Step[] {
  const say = (text: string): Step => ({ type: 'json', line: acpText(text) });
  const stop = (stopReason: string): Step => ({ type: 'stop', response: { stopReason } });
  const hello = [say('Hello.'), stop('end_turn')];
  switch (scene) {
    case 'done':
    case 'ignores':
    case 'missing':
      return hello;
    case 'echo':
      return [say('<prompt>'), stop('end_turn')];
    case 'mark':
      return [say('<mark>'), stop('end_turn')];
    case 'refused':
      return [stop('refusal')];
    case 'limit':
      return [stop('max_turn_requests')];
    case 'rate':
      return [{ type: 'error', code: -32_603, message: RATE }];
    case 'dies':
      return [say('Working.'), { type: 'exit', code: 9 }];
    case 'dies after':
      return [...hello, { type: 'exit', code: 9 }];
    case 'leaves':
      return [say('Working.'), { type: 'exit', code: 0 }];
    case 'hangs':
    case 'silent':
      return [say('Working.'), { type: 'hang' }];
    case 'deaf':
      return [{ type: 'deaf' }, { type: 'background', path: child }, say('Working.'), { type: 'hang' }];
    case 'mute':
      return [{ type: 'hang' }];
    case 'unknown':
      return [{ type: 'json', line: acpUpdate({ sessionUpdate: 'from_the_future', x: 1 }) }, ...hello];
    case 'noise':
      return [NOISE, { type: 'json', line: { jsonrpc: '2.0', id: 'never asked', result: 1 } }, ...hello];
    case 'half': {
      const last = JSON.stringify(acpText('Hello.'));
      return [{ type: 'text', text: last }, { type: 'text', text: '\n' }, stop('end_turn')];
    }
    case 'giant':
      return [{ type: 'giant', length: 3_000_000 }, ...hello];
    case 'flood':
      return [{ type: 'flood', count: 100_000, line: acpText('Step.') }, ...hello];
    case 'background':
      return [{ type: 'background', path: child }, ...hello];
  }
}

/** The steps of a scene in plain text. */
function textSteps(scene: Scene, child: string): readonly Step[] {
  const say = (text: string): Step => ({ type: 'text', text: `${text}\n` });
  switch (scene) {
    case 'echo':
      return [say('<prompt>')];
    case 'mark':
      return [say('<mark>')];
    case 'rate':
      return [
        { type: 'stderr', text: RATE },
        { type: 'exit', code: 1 },
      ];
    case 'dies':
      return [say('Working.'), { type: 'exit', code: 9 }];
    case 'dies after':
      return [say('Hello.'), { type: 'exit', code: 9 }];
    case 'hangs':
    case 'silent':
      return [say('Working.'), { type: 'hang' }];
    case 'deaf':
      return [{ type: 'deaf' }, { type: 'background', path: child }, say('Working.'), { type: 'hang' }];
    case 'mute':
      return [{ type: 'hang' }];
    case 'ignores':
      return [{ type: 'ignoreInput' }, say('Hello.')];
    case 'noise':
      return [NOISE, say('Hello.')];
    case 'half':
      return [{ type: 'text', text: 'Hello.' }];
    case 'flood':
      return [{ type: 'flood', count: 100_000, line: 'Step.' }, say('Hello.')];
    case 'background':
      return [{ type: 'background', path: child }, say('Hello.')];
    case 'done':
    case 'refused':
    case 'limit':
    case 'leaves':
    case 'missing':
    case 'unknown':
    case 'giant':
      return [say('Hello.')];
  }
}
