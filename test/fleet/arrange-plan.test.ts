import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrangePlan, type ArrangedPlan } from '../../src/fleet/arrange-plan.ts';
import { PlanInvalidError } from '../../src/fleet/plan-invalid-error.ts';
import { isExpected } from '../../src/fleet/touched-paths.ts';
import type { WorkPlanInput } from '../../src/fleet/work-plan.ts';
import '../seeds.ts';

type SubtaskInput = NonNullable<WorkPlanInput['subtasks']>[number];

function subtask(id: string, depends_on: readonly string[] = [], files_touched: readonly string[] = []): SubtaskInput {
  return { id, title: `Do ${id}`, description: '', depends_on: [...depends_on], files_touched: [...files_touched] };
}

function planOf(...subtasks: readonly SubtaskInput[]): WorkPlanInput {
  return { goal: 'Add a blog.', subtasks: [...subtasks] };
}

const idsOf = ({ levels }: ArrangedPlan) => levels.map((level) => level.map(({ id }) => id));

/** The message of the error, without its first line and the link. */
function problemsOf(plan: unknown, options?: Parameters<typeof arrangePlan>[1]): readonly string[] {
  try {
    arrangePlan(plan as WorkPlanInput, options);
  } catch (error) {
    if (error instanceof PlanInvalidError) return error.problems.map((one) => `${one.code}: ${one.message}`);
    throw error;
  }
  return [];
}

/** The example of the source of phased execution. */
const blog = planOf(
  subtask('1', [], ['models/']),
  subtask('2a', ['1'], ['api/']),
  subtask('2b', ['1'], ['cli/']),
  subtask('2c', ['1'], ['test/models/']),
  subtask('3', ['2a', '2b'], ['test/integration/']),
);

describe('arrangePlan()', () => {
  it('makes a level of all subtasks whose dependencies are done', () => {
    expect(idsOf(arrangePlan({ ...blog, phases: [['1'], ['2c', '2a', '2b'], ['3']] }))).toEqual([
      ['1'],
      ['2a', '2b', '2c'],
      ['3'],
    ]);
  });

  it('makes one subtask of a plan without any', () => {
    const arranged = arrangePlan({ goal: 'x'.repeat(300) });
    expect(arranged.levels).toEqual([
      [
        {
          id: 'goal',
          title: `${'x'.repeat(199)}…`,
          description: 'x'.repeat(300),
          depends_on: [],
          files_touched: [],
        },
      ],
    ]);
  });

  it('lets the later of two subtasks wait if both may touch the same file', () => {
    const plan = planOf(
      subtask('a', [], ['src/**/*.ts']),
      subtask('b', [], ['docs/', './SRC/main.ts']),
      subtask('c', [], ['docs/api.md']),
      subtask('d', ['b'], []),
    );
    const arranged = arrangePlan(plan);
    expect(idsOf(arranged)).toEqual([['a', 'c'], ['b'], ['d']]);
    expect(arranged.delays).toEqual([{ subtask: 'b', after: 'a', files: ['./SRC/main.ts', 'src/**/*.ts'] }]);
    expect(problemsOf(plan, { overlaps: 'refuse' })).toEqual([
      'FILES_OVERLAP: subtasks "a" and "b" may work at the same time, and both touch "src/**/*.ts" or "./SRC/main.ts"',
    ]);
  });

  it.each<[string, readonly string[], readonly string[], boolean]>([
    ['a file and itself', ['a/b.ts'], ['a/b.ts'], true],
    ['a folder and its file', ['a'], ['a/b.ts'], true],
    ['a folder and a file whose name begins alike', ['a'], ['ab/c.ts'], false],
    ['two files of a folder', ['a/b.ts'], ['a/c.ts'], false],
    ['two patterns of a folder', ['a/*.ts'], ['a/*.md'], true],
    ['patterns of two folders', ['a/*.ts'], ['b/*.ts'], false],
    ['a pattern of all and any file', ['*.md'], ['a/b.ts'], true],
    ['a pattern within a name', ['src/main-*.ts'], ['src/other.ts'], true],
    ['the whole repository and a file', ['.'], ['a'], true],
    ['back slashes and slashes', [String.raw`a\b`], ['a/b/c'], true],
    ['nothing stated', [], ['a'], false],
  ])('%s: %j and %j overlap: %s', (_, own, others, overlap) => {
    for (const [one, other] of [
      [own, others],
      [others, own],
    ] as const) {
      const { delays } = arrangePlan(planOf(subtask('1', [], one), subtask('2', [], other)));
      expect(delays).toHaveLength(overlap ? 1 : 0);
    }
  });

  it('lists every problem at once', () => {
    const plan = {
      ...planOf(
        subtask('1', ['1', 'x']),
        subtask('1'),
        subtask('2', ['3'], ['/etc/passwd', 'a/../../b', 'C:\\x']),
        subtask('3', ['2']),
        subtask('integrate'),
        subtask('constructor'),
      ),
      phases: [['1']],
    };
    expect(problemsOf(plan)).toEqual([
      'ID_DUPLICATE: two subtasks have the id "1"',
      'ID_INVALID: subtask "integrate" has a reserved id',
      'ID_INVALID: the id "constructor" cannot be the name of a task: the name is reserved',
      'DEPENDENCY_CYCLE: subtask "1" depends on itself',
      'DEPENDENCY_UNKNOWN: subtask "1" depends on "x", which is not in the plan',
      'PATH_INVALID: subtask "2" touches "/etc/passwd", which is not in the repository',
      'PATH_INVALID: subtask "2" touches "a/../../b", which is not in the repository',
      String.raw`PATH_INVALID: subtask "2" touches "C:\\x", which is not in the repository`,
      'DEPENDENCY_CYCLE: subtasks depend on each other: 2 → 3 → 2',
    ]);
    expect(() => arrangePlan(plan)).toThrow(/^Cannot use the plan as it has 9 problems:\n/u);
    expect(() => arrangePlan(plan)).toThrow(expect.objectContaining({ code: 'PLAN_INVALID' }));
  });

  it('refuses phases that differ from those of the dependencies', () => {
    expect(problemsOf({ ...blog, phases: [['1', '2a'], ['2b', '2c'], ['3']] })).toEqual([
      'PHASES_DIFFER: its phases are [["1","2a"],["2b","2c"],["3"]], and its dependencies make [["1"],["2a","2b","2c"],["3"]]',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['no object', 'plan', 'SHAPE_INVALID: the plan: Invalid input: expected object, received string'],
    ['no goal', { goal: ' ' }, 'SHAPE_INVALID: goal: Too small'],
    ['an unknown key', { goal: 'x', steps: [] }, 'SHAPE_INVALID: the plan: Unrecognized key: "steps"'],
    ['a long id', planOf(subtask('x'.repeat(65))), 'SHAPE_INVALID: subtasks.0.id: Too big'],
    [
      'too many subtasks',
      planOf(...Array.from({ length: 201 }, (_, index) => subtask(`${index}`))),
      'SUBTASKS_TOO_MANY',
    ],
  ])('refuses %s', (_, plan, problem) => {
    expect(problemsOf(plan)).toEqual([expect.stringContaining(problem)]);
  });

  it('bounds the error of a plan with very many problems', () => {
    const plan = planOf(...Array.from({ length: 200 }, (_, index) => subtask(`${index}`, ['none'.repeat(16)])));
    expect(() => arrangePlan(plan)).toThrow(/and 100 more, in `problems`\n/u);
  });

  it('keeps every order of dependencies, and no overlap in a level, for any plan', () => {
    const files = fc.array(fc.constantFrom('a', 'a/b', 'a/c', 'b/*', 'c'), { maxLength: 2 });
    const plans = fc
      .array(fc.record({ before: fc.array(fc.nat(), { maxLength: 3 }), files }), { minLength: 1, maxLength: 12 })
      .map((rows) =>
        rows.map((row, index) =>
          subtask(`t${index}`, index === 0 ? [] : row.before.map((one) => `t${one % index}`), row.files),
        ),
      );
    fc.assert(
      fc.property(plans, (subtasks) => {
        const { levels, delays } = arrangePlan(planOf(...subtasks));
        const levelOf = new Map(levels.flatMap((level, at) => level.map(({ id }) => [id, at] as const)));
        expect([...levelOf.keys()].toSorted()).toEqual(subtasks.map(({ id }) => id).toSorted());
        for (const { id, depends_on = [] } of subtasks)
          for (const other of depends_on) expect(levelOf.get(other)).toBeLessThan(levelOf.get(id) ?? -1);
        for (const level of levels) {
          const order = level.map(({ id }) => Number(id.slice(1)));
          expect(order).toEqual(order.toSorted((a, b) => a - b));
          // Independently of the code: two folders overlap if every file below one may be below the other.
          const touched = level.map((one) => [...new Set(one.files_touched.map((path) => path.replace('/*', '')))]);
          const clash = touched.some((own, index) =>
            touched
              .slice(index + 1)
              .some((others) =>
                own.some((a) => others.some((b) => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`))),
              ),
          );
          expect(clash).toBe(false);
        }
        // Nothing waits without a reason: each subtask is in the first level that it may be in.
        for (const { id, depends_on } of levels.flat()) {
          const earliest = Math.max(-1, ...depends_on.map((one) => levelOf.get(one) ?? -1)) + 1;
          const waits = delays.filter((one) => one.subtask === id).length;
          expect(levelOf.get(id)).toBe(earliest + waits);
        }
      }),
    );
  });
});

describe('isExpected()', () => {
  it.each([
    ['src/a.ts', ['src/'], true],
    ['src/a.ts', ['src/*.ts'], true],
    ['src/a.ts', ['src/a.ts'], true],
    ['src/ab.ts', ['src/a'], false],
    ['README.md', ['src'], false],
    ['README.md', [], true],
  ])('%s of %j: %s', (file, paths, expected) => {
    expect(isExpected(file, paths)).toBe(expected);
  });
});
