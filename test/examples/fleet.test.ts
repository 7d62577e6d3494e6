/** A plan that scripted agents carry out in a new repository, as a user runs it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

it('examples/fleet sends one subtask back, hands a branch over, and leaves nothing', async () => {
  //  1 ──▶ 2a, 2b, 2c ──▶ 3
  //             ▲─┘ "Print one line of usage"
  const temporary = await mkdtemp(join(tmpdir(), 'phasegate-example-'));
  onTestFinished(() => rm(temporary, { recursive: true, force: true }));
  const program = ['--import', 'jiti/register', 'examples/fleet/fleet.ts'];
  const env = { ...process.env, TMPDIR: temporary, XDG_STATE_HOME: join(temporary, 'state') };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, program, { cwd: repository, env });
  expect(stderr).toBe('');
  expect(stdout).toMatchInlineSnapshot(`
    "phase-2 is sent back: Print one line of usage on \`--help\`.
    Phase 1: ✓ Create User and Post models
    Phase 2: ✓ 3/3 subtasks complete, 2 attempts
      ├── ✓ Create REST API endpoints
      ├── ✓ Create CLI commands, 2 attempts
      └── ✓ Add model unit tests
    Phase 3: ✓ Add integration tests

    completed

    On branch phasegate/blog:
      Begin
      phasegate(phase-1): Create User and Post models
      phasegate(phase-2): Create REST API endpoints
      phasegate(phase-2): Create CLI commands
      phasegate(phase-2): Add model unit tests
      phasegate(phase-3): Add integration tests

    Its files:
      README.md
      api/posts.mjs
      cli/posts.mjs
      models/blog.mjs
      test/blog.test.mjs
      test/models.test.mjs
    "
  `);
  expect((await readdir(temporary)).filter((name) => !/^(?:jiti|node-)/u.test(name))).toEqual([]);
});
