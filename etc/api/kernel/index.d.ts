export { abortable, abortError, throwIfAborted } from './abort.ts';
export { runAsync, runSync } from './run.ts';
export { runStream } from './run-stream.ts';
export { all, each, face, isThenable, pool, wait, within, type Steps } from './steps.ts';
export { XError, isXError } from './x-error.ts';
