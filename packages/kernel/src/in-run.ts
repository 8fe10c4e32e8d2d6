/** For operations that become part of a run: those that take `{ run }`, and those that hand a run on. */
export { checkRunOptions, failRun, needsAwait, partRun, scopeOf, stopCause } from './run-part.ts'
export { inSpan, type Span } from './span.steps.ts'
export { within } from './steps.ts'
/** Gives events their envelope. */
export { EventCounter, eventOutside, EventScope } from './event-scope.ts'
export { callOutcome } from './call-outcome.ts'
export { shapeEvent } from './shape-event.ts'
