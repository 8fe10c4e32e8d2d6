import type { ApprovalDecision, MaybePromise } from '@x/interfaces';
import { type ForkedProgram, type KeptRun, type Records } from '@x/records';
import { type StudioAgent } from './chats.ts';
import { type StudioSource } from './run-source.ts';
export interface StudioOptions {
    readonly title?: string | undefined;
    readonly basePath?: string | undefined;
    readonly token?: string | undefined;
    readonly records?: Records | undefined;
    readonly program?: ((options: Parameters<ForkedProgram<unknown>>[0], run: KeptRun) => MaybePromise<unknown>) | undefined;
    readonly agents?: Readonly<Record<string, StudioAgent>> | undefined;
    readonly host?: {
        decide(id: string, pendingId: string, decision: ApprovalDecision): Promise<void>;
    } | undefined;
}
export type StudioHandler = (request: Request) => Promise<Response>;
export declare function studio(source: StudioSource, options?: StudioOptions): StudioHandler;
