export { abortable, abortError, throwIfAborted } from './run-part.ts';
