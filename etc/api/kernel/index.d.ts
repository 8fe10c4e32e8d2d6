export { runAsync, runSync } from './driver.ts';
export { runStream } from './run-stream.ts';
export { all, currentRun, isThenable, pool, wait, type Steps } from './steps.ts';
export { XError, isXError } from './x-error.ts';
