/**
 * Questions for an answer that could not be used.
 *
 * @module
 */
import type { AnswerForm } from '../../llm/call/answer-schema.ts';
import { elided } from '../../model/values/text-limits.ts';
import { formText } from './answer.ts';

/** The question to put a task's answer into its form. The agent does not remember the turn, so it is given the answer. */
export function repairPrompt(form: AnswerForm, answer: string, problem: string): string {
  return `You have done a task, and your last message could not be read: ${elided(problem, LONGEST_PROBLEM)}

Do not work on the task again, and change no file. Say the same again, in the required form.

${formText(form)}

Your last message, as a JSON string:
${JSON.stringify(elided(answer, LONGEST_ANSWER))}`;
}

/** The question to review again after an answer that is no verdict. The whole review is asked for, so that no verdict is read into prose. */
export function askAgain(prompt: string, problem: string): string {
  const found = JSON.stringify(elided(problem, LONGEST_PROBLEM));
  return `${prompt}\n\nAn earlier answer to this could not be used: ${found}\nJudge the work yourself, and keep to the form.`;
}

// --- internal ---

const LONGEST_PROBLEM = 2000;
const LONGEST_ANSWER = 50_000;
