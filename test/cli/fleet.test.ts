/** The doctor on recorded fleets, which `scripts/fleet.ts` has recorded. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readArchive } from '../../src/cli/load/read-archive.ts';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { files, phasegate } from './cli.ts';

const FLEET = fileURLToPath(new URL('../fixtures/fleet/', import.meta.url));

/** Runs the doctor on one fleet, whose runs it imports first. */
async function examined(fleet: string, ...flags: readonly string[]) {
  const cwd = await files({});
  const store = sqliteStore(join(cwd, 'runs.db'));
  const archives = (await readdir(FLEET)).filter((name) => name.startsWith(`${fleet}-`));
  for (const name of archives.toSorted()) {
    const [{ runId, records }] = await readArchive(name, linesOf(join(FLEET, name)));
    await copyRun(store, runId, records, {});
  }
  await store.close();
  return phasegate(['doctor', '--store', 'runs.db', ...flags], { cwd });
}

async function* linesOf(file: string): AsyncGenerator<string> {
  yield* (await readFile(file, 'utf8')).split('\n');
}

describe('phasegate doctor on a pathological fleet', () => {
  it('finds work without measures, and loops without an end', async () => {
    const { code, stdout } = await examined('swarm');
    expect(stdout).toMatchInlineSnapshot(`
      "4 runs, 7 gates: 7 problems, 6 notices

      ✗ swarm / coder  REVISION_UNREAD
        12 of 12 attempts after a demand read neither \`prompt\` nor \`revision\`.
        See swarm-03 #35, swarm-03 #78, swarm-03 #110.
        → Send \`prompt\` to the model, which has the revision in front; or have the handler read \`revision\`.

      ✗ swarm / coder  CRITIQUE_REPEATED
        12 of 16 demands repeated the one before: 12 in the same words.
        See swarm-03 #76, swarm-03 #108, swarm-03 #124.
        → See if the worker reads the revision; strategy "feedbackHistory" shows it earlier demands for the same change, "fresh" starts over.

      ✗ swarm / coder  NEVER_APPROVES
        none of 16 reviews approved.
        → See if its criteria can be met, and if the reviewer sees the outputs that it judges.

      ✗ swarm / docs  REVISION_WITHHELD
        4 of 4 attempts after a demand read no \`revision\`, and strategy "none" keeps it out of the prompt.
        See swarm-03 #38, swarm-02 #38, swarm-01 #38.
        → Use strategy 'feedback', or have the handler read \`revision\`.

      ✗ swarm / planner  NO_BOUND
        maxRetries is unlimited, and no limit of the run bounds the loop, so \`onExhausted\` never applies.
        → Set a number, and onExhausted: 'escalate'; or \`limits.corrections\` for the run, and onLimit: 'escalate'.

      ✗ swarm / api  LOOPED
        4 times it went round in a loop: 4 times by an issue that stayed open.
        See swarm-03 #85, swarm-02 #80, swarm-01 #85.
        → See if the issue is assigned to the phase that can correct it (\`inbox answer --reclassify\`); use onExhausted: 'escalate' to have a person look.

      ✗ swarm / api  CRITIQUE_REPEATED
        4 of 8 demands repeated the one before: 4 in other words, with an issue that was open before.
        See swarm-03 #84, swarm-02 #79, swarm-01 #84.
        → See if the worker reads the revision; strategy "feedbackHistory" shows it earlier demands for the same change, "fresh" starts over.

      ! swarm / coder  CHANGE_NOT_NAMED
        16 of 16 demands named no required change on one line.
        See swarm-03 #33, swarm-03 #76, swarm-03 #108.
        → Have the reviewer answer with one imperative sentence: \`retry(feedback, { requiredChange })\`; a check with \`{ passed, requiredChange, details }\`.

      ! swarm / coder  EXHAUSTION_ACCEPTED
        4 times an attempt was accepted because the budget was spent, although the gate had not approved it and nobody was asked.
        See swarm-03 #126, swarm-02 #119, swarm-01 #126.
        → Use onExhausted: 'escalate' to have a person look, or 'reject'.

      ! swarm / api  EXHAUSTION_ACCEPTED
        4 times an attempt was accepted because the budget was spent, although the gate had not approved it and nobody was asked.
        See swarm-03 #87, swarm-02 #82, swarm-01 #87.
        → Use onExhausted: 'escalate' to have a person look, or 'reject'.

      ! swarm / report  PROMPT_GREW
        8 times a prompt had grown past 3 times the first, which counts as 1000 characters or more; the longest had 3594.
        See swarm-03 #67, swarm-03 #104, swarm-02 #65.
        → Lower \`maxRevisionChars\`, or use a strategy that carries less, such as "fresh".

      ! swarm / summary  PROMPT_BYPASSED
        in 2 of 2 attempts after a demand a model was asked without \`prompt\`, though \`revision\` was read: records do not show if the revision was at the start of its prompt.
        See swarm-03 #70, swarm-01 #70.
        → Send \`prompt\` to the model, which has the revision in front.

      ! swarm / research  OFTEN_SENT_BACK
        4 times a later phase sent it back, in 4 runs.
        See swarm-03 #73, swarm-02 #68, swarm-01 #73.
        → It has no gate: give it one that finds the defects that later phases find.

      attempts            1     2     3     4     5
      swarm / coder       ·     ·     ·     4     ·
      swarm / docs        ·     4     ·     ·     ·
      swarm / planner     ·     ·     ·     ·     4
      swarm / api         ·     4     ·     ·     ·
      swarm / report      ·     ·     4     ·     ·
      swarm / summary     2     2     ·     ·     ·
      swarm / article     8     ·     ·     ·     ·

      sent back        times  runs  by
      swarm / research     4     4  article 4
      "
    `);
    expect(code).toBe(1);
  });

  it('finds gates that always or never decide the same', async () => {
    const { code, stdout } = await examined('habits');
    expect(stdout).toMatchInlineSnapshot(`
      "10 runs, 4 gates: 3 problems, 1 notice

      ✗ habits / migration  REVIEW_ERRORS
        5 of 25 reviews (20 %) were errors of the reviewer: more than 1 in 10, with 95 % confidence.
        See habits-08 #25, habits-06 #25, habits-04 #24.
        → They cost no attempt, but time: see their errors, and lower the load on the model or raise its limits.

      ✗ habits / tests  ATTEMPTS_BIMODAL
        6 of 10 starts took 1 attempt, 0 took 2, 4 took 3 or more.
        → A second attempt hardly ever helps: read the first demand of the long ones, and see if it reached the worker.

      ✗ habits / security  NEVER_APPROVES
        none of 10 reviews approved.
        → See if its criteria can be met, and if the reviewer sees the outputs that it judges.

      ! habits / lint  NEVER_SENDS_BACK
        all 10 reviews approved.
        → See if it finds a defect that you inject on purpose; a gate that always approves can be removed.

      attempts               1     2     3     4
      habits / migration     ·    10     ·     ·
      habits / tests         6     ·     2     2  bimodal
      habits / lint         10     ·     ·     ·
      habits / security     10     ·     ·     ·
      "
    `);
    expect(code).toBe(1);
  });
});

describe('phasegate doctor on a healthy fleet', () => {
  it('finds nothing', async () => {
    const { code, stdout } = await examined('crew');
    expect(stdout).toMatchInlineSnapshot(`
      "12 runs, 2 gates: 0 problems, 0 notices

      attempts         1     2     3
      crew / plan      7     5     ·
      crew / draft    10     2     1

      sent back   times  runs  by
      crew / plan     1    12  draft 1
      "
    `);
    expect(code).toBe(0);
  });

  it('has the numbers as JSON', async () => {
    const { stdout } = await examined('crew', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      gates: [
        {
          phase: 'plan',
          runs: 12,
          reviews: 17,
          approvals: 13,
          demands: 4,
          revised: 5,
          unread: { count: 0, first: [] },
          attempts: { 1: 7, 2: 5 },
        },
        { phase: 'draft', runs: 12, errors: { count: 1, first: [{ runId: 'crew-05' }] }, vague: { count: 0 } },
      ],
      sentBack: [{ phase: 'plan', isGated: true, evidence: { count: 1 }, by: { draft: 1 }, runs: 12 }],
      findings: [],
    });
  });
});
