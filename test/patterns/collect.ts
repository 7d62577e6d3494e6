/**
 * Every regular expression of the sources, by the parser of the language.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync, Visitor, type Argument, type Expression, type Program, type TemplateElement } from 'oxc-parser';

/** A pattern, and the line of its literal or constructor. */
export interface Pattern {
  readonly at: string;
  /** Undefined if the sources do not determine it. */
  readonly source: string | undefined;
  readonly flags: string;
}

/** Collects the patterns of every TypeScript file below some directories, except installed packages and builds. */
export function collectPatterns(root: string, directories: readonly string[]): readonly Pattern[] {
  const files = directories.flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:[cm]?[jt]sx?)$/u.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/[/\\](?:node_modules|dist)[/\\]/u.test(file)),
  );
  return files.toSorted().flatMap((file) => patternsIn(file, root));
}

// --- internal ---

function patternsIn(file: string, root: string): readonly Pattern[] {
  const text = readFileSync(file, 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: Pattern[] = [];
  const at = (start: number) => `${relative(root, file)}:${text.slice(0, start).split('\n').length}`;
  const made = (start: number, callee: Expression, args: readonly Argument[]) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    const [source, flags] = args.map((arg) => (arg.type === 'SpreadElement' ? undefined : valueOf(arg, program, file)));
    found.push({ at: at(start), source, flags: flags ?? '' });
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ at: at(node.start), source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: (node) => made(node.start, node.callee, node.arguments),
    CallExpression: (node) => made(node.start, node.callee, node.arguments),
  }).visit(program);
  return found;
}

/** Returns the text of an expression, if constants of this file and of imported files determine it. */
function valueOf(node: Expression, program: Program, file: string): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'Identifier') return constantOf(node.name, program, file);
  if (node.type === 'TemplateLiteral')
    return joined(node.quasis, node.expressions, ({ value }) => value.cooked ?? undefined, program, file);
  if (node.type === 'TaggedTemplateExpression') {
    const isRaw = memberOf(node.tag, 'raw')?.type === 'Identifier';
    return isRaw
      ? joined(node.quasi.quasis, node.quasi.expressions, ({ value }) => value.raw, program, file)
      : undefined;
  }
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return both([valueOf(node.left, program, file), valueOf(node.right, program, file)], '');
  if (node.type === 'CallExpression') {
    const list = memberOf(node.callee, 'join');
    const [separator] = node.arguments;
    if (list?.type !== 'ArrayExpression' || separator?.type !== 'Literal') return undefined;
    const parts = list.elements.map((part) =>
      part === null || part.type === 'SpreadElement' ? undefined : valueOf(part, program, file),
    );
    return both(parts, String(separator.value));
  }
  return undefined;
}

/** Returns the object of a member expression with that name. */
function memberOf(node: Expression, name: string): Expression | undefined {
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier' || node.property.name !== name)
    return undefined;
  return node.object.type === 'Super' ? undefined : node.object;
}

function joined(
  quasis: readonly TemplateElement[],
  expressions: readonly Expression[],
  text: (quasi: TemplateElement) => string | undefined,
  program: Program,
  file: string,
): string | undefined {
  const parts = quasis.flatMap((quasi, index) => {
    const expression = expressions[index];
    return expression ? [text(quasi), valueOf(expression, program, file)] : [text(quasi)];
  });
  return both(parts, '');
}

function both(parts: readonly (string | undefined)[], separator: string): string | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? known.join(separator) : undefined;
}

/** Returns the value of a constant at the top of a file, or of the file that it is imported from. */
function constantOf(name: string, program: Program, file: string): string | undefined {
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      const isIt = statement.specifiers.some((one) => one.type === 'ImportSpecifier' && one.local.name === name);
      if (!isIt || !statement.source.value.startsWith('.')) continue;
      const other = resolve(dirname(file), statement.source.value);
      return constantOf(name, parseSync(other, readFileSync(other, 'utf8')).program, other);
    }
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration' || declared.kind !== 'const') continue;
    for (const { id, init } of declared.declarations) {
      if (id.type === 'Identifier' && id.name === name && init) return valueOf(init, program, file);
    }
  }
  return undefined;
}
