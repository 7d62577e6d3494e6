/**
 * Highlighting of code in a worker with a deadline.
 *
 * @module
 */
import { useEffect, useState } from 'react';
import type { CodeLines, HighlightMessage, HighlightRequest } from './code-token.ts';

/**
 * Finds the tokens of a code, once the worker is free.
 *
 * @param text Text that is safe to read.
 * @param language A language or a file extension, such as `ts`; '' for none.
 * @returns `undefined` until they are found, and for a text that is too long, takes too long, or is of an unknown language.
 */
export function useHighlight(text: string, language: string): CodeLines | undefined {
  const [made, setMade] = useState<HighlightRequest & { readonly lines: CodeLines }>();
  useEffect(() => {
    const leave = new AbortController();
    void highlight({ text, language }, leave.signal).then((lines) => {
      if (lines && !leave.signal.aborted) setMade({ text, language, lines });
    });
    return () => leave.abort();
  }, [text, language]);
  return made?.text === text && made.language === language ? made.lines : undefined;
}

// --- internal ---

/** The longest text, in characters. */
const MOST_HIGHLIGHTED = 40_000;

/** Milliseconds for one text. Usual code of the longest text takes a tenth. */
const DEADLINE_MS = 1500;

/** After so many late texts, this page highlights nothing more. */
const MOST_LATE = 3;

let started: Promise<Worker | undefined> | undefined;
let queue: Promise<unknown> = Promise.resolve();
let late = 0;

/** Texts are highlighted one after the other, so that each has its own deadline. */
function highlight(request: HighlightRequest, signal: AbortSignal): Promise<CodeLines | undefined> {
  if (request.language === '' || request.text.length > MOST_HIGHLIGHTED) return Promise.resolve(undefined);
  const found = queue.then(() => (signal.aborted || late >= MOST_LATE ? undefined : linesBy(request)));
  queue = found;
  return found;
}

async function linesBy(request: HighlightRequest): Promise<CodeLines | undefined> {
  const worker = await (started ??= start());
  if (!worker) return undefined;
  const message = await answerOf(worker, request);
  if (message !== undefined) return message === 'ready' ? undefined : (message.lines ?? undefined);
  late += 1;
  worker.terminate();
  started = undefined;
  return undefined;
}

/** Starts a worker. @returns `undefined` if it cannot be loaded. */
function start(): Promise<Worker | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('highlight-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', () => resolve(worker), { once: true });
    worker.addEventListener('error', () => resolve(undefined), { once: true });
  });
}

/** @returns `undefined` if the worker does not answer in time, or fails. */
function answerOf(worker: Worker, request: HighlightRequest): Promise<HighlightMessage | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), DEADLINE_MS);
    const end = (message?: HighlightMessage) => {
      clearTimeout(timer);
      resolve(message);
    };
    worker.addEventListener('message', ({ data }: MessageEvent<HighlightMessage>) => end(data), { once: true });
    worker.addEventListener('error', () => end(), { once: true });
    worker.postMessage(request, []);
  });
}
