/**
 * Questions for permission, as questions to people.
 *
 * @module
 */
import { asksPeople, type AskPerson } from '../../model/handlers/person.ts';
import { cutList } from '../../model/values/counts.ts';
import { maskKnown } from '../../model/values/known-secrets.ts';
import { plainText } from '../../model/values/plain-text.ts';
import { cutEnd } from '../../model/values/text-limits.ts';
import { asksAPerson } from '../permission-decision.ts';
import type { AskAboutPermission, PermissionPolicy, PermissionQuestion } from '../permission.ts';

/** Marks a handler whose agent may ask people by its policy. */
export function asksBy<F extends object>(permissions: PermissionPolicy | undefined, run: F): F {
  return permissions && asksAPerson(permissions) ? asksPeople(run) : run;
}

/** Returns a function that asks a person, and takes only the choice to allow for a permission. */
export function permissionFrom(
  ask: AskPerson | undefined,
  agent: string,
  { answerWithin = ANSWER_WITHIN }: PermissionPolicy,
): AskAboutPermission | undefined {
  if (!ask) return undefined;
  return async (question, signal) => {
    const deadline = answerWithin > 0 ? ({ expireAfterMs: answerWithin, onExpiry: 'reject' } as const) : {};
    const words = { question: titleOf(agent, question), description: detailsOf(question), choices: [ALLOW, REJECT] };
    return (await ask({ ...words, ...deadline }, signal, wholeOf(question))) === ALLOW ? 'allow' : 'reject';
  };
}

// --- internal ---

/** Milliseconds that a person has for an answer: ten minutes. */
const ANSWER_WITHIN = 600_000;
const ALLOW = 'allow once';
const REJECT = 'reject';

/** Most characters, by the part of the question. */
const LONGEST = { title: 300, path: 300, details: 17_000 } as const;
const MOST_PATHS = 20;

function titleOf(agent: string, { title, kind }: PermissionQuestion): string {
  return `May agent "${agent}" do this (${kind}): ${safe(title, LONGEST.title).replaceAll(/\s+/gu, ' ').trim()}`;
}

function detailsOf({ paths, details, cwd, access }: PermissionQuestion): string {
  return [
    `It works in ${safe(cwd, LONGEST.path)}, in a turn that ${access === 'write' ? 'may change files there' : 'only reads'}.`,
    ...cutList(paths, MOST_PATHS, (path) => `Path: ${safe(path, LONGEST.path)}`),
    ...(details === '' ? [] : [`As the agent states it:\n${safe(details, LONGEST.details)}`]),
  ].join('\n');
}

/** All that the question is about. What a person sees of it may be cut. */
function wholeOf({ kind, title, paths, details, whole = details, cwd, access }: PermissionQuestion): unknown {
  return [kind, title, paths, whole, cwd, access];
}

/** A text of the agent without escape codes and known secrets. */
function safe(text: string, most: number): string {
  return maskKnown(plainText(cutEnd(text, most)));
}
