export { abortable, abortError, throwIfAborted } from './abort.ts'
export { runAsync, runStream, runSync } from './run.ts'
export { all, each, face, isThenable, pool, wait, type Steps } from './steps.ts'
export { XError, isXError } from './x-error.ts'
