/** For operations that become part of a run, because they take `{ run }` or hand a run on. */
export { checkRunOptions, EventCounter, failRun, needsAwait, onStop, partRun, scopeOf } from './run-part.ts'
export { within } from './steps.ts'
/** Gives events their envelope. */
export { eventOutside, EventScope, inSpan, tellsAll, type Span, UnheardSpan } from './event-sending.steps.ts'
export { callOutcome } from './call-outcome.ts'
export { shapeEvent } from './shape-event.ts'
export { escapedEntry, escapeTexts, forkedEntries, MemoryJournal, RUN_PLACE, unescapeTexts } from './journal-entries.ts'
