export { EventFold, foldEvents, type FoldedRun } from './fold-events.ts';
