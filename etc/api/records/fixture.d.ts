import { type KeptRun } from './kept-run.ts';
import { type KeptRunInfo } from './storage.ts';
export declare function writeFixture(info: KeptRunInfo, lines: Iterable<string>): string;
export declare function readFixture(path: string): KeptRun;
