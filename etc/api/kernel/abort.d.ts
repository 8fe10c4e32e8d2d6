export { abortable, abortError, throwIfAborted } from './abortable.ts';
