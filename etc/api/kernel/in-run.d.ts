export { checkRunOptions, failRun, needsAwait, partRun, scopeOf, stopCause } from './run-part.ts';
export { inSpan, type Span } from './span.steps.ts';
export { within } from './steps.ts';
