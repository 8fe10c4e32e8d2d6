import type { HostBackend, HostedChatState } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { DefinedChat, PerformOptions } from './define-chat.ts';
export interface HostOptions {
    readonly chats: readonly DefinedChat[];
    readonly at: HostBackend;
    readonly retention?: number | undefined;
}
export interface SubmitOptions {
    readonly id?: string | undefined;
    readonly at?: Date | number | undefined;
}
export interface WorkOptions {
    readonly concurrency?: number | undefined;
    readonly lease?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export interface ListOptions {
    readonly state?: HostedChatState | undefined;
    readonly chat?: DefinedChat | undefined;
}
export interface EventsOptions {
    readonly after?: string | null | undefined;
    readonly signal?: AbortSignal | undefined;
}
export declare const KINDS: {
    readonly host: OptionKinds<HostOptions>;
    readonly submit: OptionKinds<SubmitOptions>;
    readonly work: OptionKinds<WorkOptions>;
    readonly list: OptionKinds<ListOptions>;
    readonly events: OptionKinds<EventsOptions>;
    readonly result: OptionKinds<{
        readonly signal?: AbortSignal | undefined;
    }>;
    readonly pending: OptionKinds<{
        readonly agent?: string | undefined;
    }>;
    readonly decide: OptionKinds<{
        readonly by?: string | undefined;
    }>;
    readonly cancel: OptionKinds<{
        readonly reason: string;
    }>;
    readonly perform: OptionKinds<PerformOptions>;
};
export declare function checkHost(options: HostOptions): void;
export declare function checkId(id: unknown, attempt: string): string;
