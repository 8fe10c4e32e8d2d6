import type { ErrorCode, HostBackend, HostedChat } from '@x/interfaces';
import type { DefinedChat } from './defined-chat.ts';
import type { CheckOptions, NextStep } from './host-options.ts';
export interface CheckedChat extends Pick<HostedChat, 'id' | 'name' | 'version' | 'state'> {
    readonly goesOn: boolean;
    readonly next: NextStep | null;
    readonly unused: number;
    readonly from: string | null;
    readonly skipped: string | null;
    readonly problem: {
        readonly code: ErrorCode | null;
        readonly message: string;
    } | null;
}
export declare function checkChats({ store }: HostBackend, program: DefinedChat, options: CheckOptions): AsyncGenerator<CheckedChat>;
