import type { Io, Journal, MaybePromise, Run, RunOptions } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { Chat, type State } from '../memory/state.ts';
import { type ChatMeans } from '../options/operations.ts';
import { type Scope } from '../run/scope.ts';
export type OpenChat = Chat<Scope>;
export declare function openChat<T>([self, peer]: readonly [State, State], options: ChatMeans & {
    readonly silent?: boolean | null | undefined;
}, steps: (chat: OpenChat) => Steps<T>, place?: string): Steps<T>;
export declare function shareMeans<T>(means: ChatMeans, steps: Steps<T>): Steps<T>;
interface RecordedRunOptions extends Pick<RunOptions, 'signal' | 'emit'> {
    readonly journal: Journal;
    readonly runId: string;
    readonly version?: string | undefined;
    readonly streams?: boolean | undefined;
}
export declare function runRecorded<T>(use: (run: Run) => MaybePromise<T>, options: RecordedRunOptions): Promise<T>;
export declare const SILENT_IO: Io;
export {};
