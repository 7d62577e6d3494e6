/**
 * Variables of this process that its programs inherit.
 *
 * @module
 */

/** Variables of a process by name. */
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables that a program inherits: all but those that lead it from its folder to another one, as the variables of a git hook
 * do. `PWD` is its own folder, as after a `cd` to it.
 *
 * @param folder Absolute path of the program's folder.
 * @param variables @default `process.env`
 */
export function inheritedVariables(
  folder: string,
  variables: Variables = process.env,
): Readonly<Record<string, string>> {
  const kept = Object.entries(variables).flatMap(([name, value]) =>
    // Windows knows them in any case.
    value === undefined || LOCATIONS.has(name.toUpperCase()) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...(variables['PWD'] !== undefined && { PWD: folder }) };
}

// --- internal ---

/** Folders of shells. With `CDPATH`, `cd src` may lead to a folder of that name elsewhere. */
const OF_SHELLS = ['PWD', 'OLDPWD', 'CDPATH'];

/**
 * The variables of `git rev-parse --local-env-vars`, also of later versions than 2.38, without settings.
 * Three more lead refs and objects elsewhere.
 */
// Why: docs/decisions/agents.md#which-variables-of-git-do-programs-inherit
const OF_GIT = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_PREFIX',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_CONFIG',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_REPLACE_REF_BASE',
  'GIT_NAMESPACE',
  'GIT_QUARANTINE_PATH',
  'GIT_REFERENCE_BACKEND',
];

const LOCATIONS: ReadonlySet<string> = new Set([...OF_GIT, ...OF_SHELLS]);
