/**
 * A scripted agent: a program that gets a prompt on standard input, and writes one file into the folder in which it is started.
 *
 * It does the subtasks of `plan.json`, and knows from `PHASEGATE_TASK` which one. Its first command lacks a help text. If the prompt asks
 * for one, it writes it, as any agent would.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const prompt = readFileSync(0, 'utf8');
const task = process.env.PHASEGATE_TASK ?? '';
const isHelpWanted = prompt.includes('--help');

const files = {
  1: ['models/blog.mjs', 'export class User {}\nexport class Post {}\n'],
  '2a': [
    'api/posts.mjs',
    'export const list = (posts) => posts;\nexport const add = (posts, post) => [...posts, post];\n',
  ],
  '2b': [
    'cli/posts.mjs',
    `${isHelpWanted ? "if (process.argv.includes('--help')) console.log('posts: prints all posts');\n" : ''}console.log([]);\n`,
  ],
  '2c': ['test/models.test.mjs', "import { Post, User } from '../models/blog.mjs';\nnew User();\nnew Post();\n"],
  3: [
    'test/blog.test.mjs',
    "import { add, list } from '../api/posts.mjs';\nif (list(add([], 'first')).length !== 1) throw new Error('No post.');\n",
  ],
};

const [path, text] = files[task] ?? [];
if (path === undefined) {
  console.error(`There is no script for subtask "${task}".`);
  process.exitCode = 1;
} else {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`I have written ${path}.`);
}
