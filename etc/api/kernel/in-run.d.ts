export { checkRunOptions, failRun, mustWait, partRun, scopeOf } from './run-part.ts';
export { inSpan, type Span } from './span.steps.ts';
export { within } from './within.steps.ts';
