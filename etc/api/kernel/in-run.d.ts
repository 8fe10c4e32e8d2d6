export { checkRunOptions, failRun, partRun, scopeOf } from './run-part.ts';
export { inSpan, type Span } from './span.steps.ts';
