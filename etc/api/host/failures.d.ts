import type { HostBackend, HostedChat } from '@x/interfaces';
import type { FailureOptions } from './host-options.ts';
export interface FailureGroup {
    readonly name: string;
    readonly version: string;
    readonly state: 'failed' | 'waiting-to-retry';
    readonly kind: string | null;
    readonly code: string | null;
    readonly message: string;
    readonly count: number;
    readonly ids: readonly string[];
}
type FailureReason = Pick<FailureGroup, 'kind' | 'code' | 'message'>;
export declare function failureReason({ outcome, state, retry, reason }: HostedChat): FailureReason | null;
export declare function failedChats({ store }: HostBackend, { state, chat, kind, code, message }: FailureOptions): AsyncGenerator<{
    readonly chat: HostedChat;
    readonly why: FailureReason;
}>;
export declare function groupFailures(backend: HostBackend, options: FailureOptions): Promise<readonly FailureGroup[]>;
export {};
