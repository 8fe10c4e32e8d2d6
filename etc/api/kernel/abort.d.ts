export { abortable, abortError, throwIfAborted } from './abort-signal.ts';
