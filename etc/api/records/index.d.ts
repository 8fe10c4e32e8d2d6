export type { RunDifference } from './difference.ts';
export { readFixture } from './fixture.ts';
export { type ForkedProgram, type ForkedRun, forkRun } from './fork-run.ts';
export type { KeptRun } from './kept-run.ts';
export { openRecords, type Records, type RecordsOptions } from './records.ts';
export { expectReplay, replay, type RepeatedProgram, type ReplayOptions, type ReplayReport } from './replay.ts';
export type { ModelSpending } from './run-summary.ts';
export type { KeptRunInfo, RunQuery } from './storage.ts';
