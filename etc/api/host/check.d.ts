import type { ChatStore, ErrorCode, HostBackend, HostedChat, JournalKind } from '@x/interfaces';
import type { DefinedChat } from './defined-chat.ts';
import type { CheckOptions } from './host-options.ts';
import { type LeftChat } from './run/cancelling.ts';
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
interface NextStep {
    readonly kind: JournalKind | 'message' | 'part';
    readonly name: string | null;
    readonly place: string | null;
    readonly label: string;
}
export declare function checkChats({ store }: HostBackend, program: DefinedChat, options: CheckOptions): AsyncGenerator<CheckedChat>;
export declare function cancelAtVendors(store: ChatStore, program: DefinedChat, { id, input, entries, messages }: LeftChat, signal: AbortSignal): Promise<void>;
export {};
