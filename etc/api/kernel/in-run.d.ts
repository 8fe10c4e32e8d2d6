export { checkRunOptions, failRun, partRun, scopeOf, stopCause } from './run-part.ts';
export { inSpan, type Span } from './span.steps.ts';
