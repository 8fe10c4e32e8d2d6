import type { ChatMessage } from '@x/interfaces';
import { type PageDecisions, type UiRequestOptions } from './page-request.ts';
import type { UiContinuation } from './ui-message-writer.ts';
export interface UiRequest extends PageDecisions {
    readonly message: ChatMessage | null;
    readonly continues: UiContinuation | undefined;
}
export declare function fromUiMessages(body: unknown, options?: UiRequestOptions): Promise<UiRequest>;
interface PageMessage {
    readonly role: string;
    readonly parts: readonly {
        readonly type: string;
        readonly state?: string;
        readonly toolMetadata?: unknown;
    }[];
}
export declare function hasDecided({ messages }: {
    readonly messages: readonly PageMessage[];
}): boolean;
export {};
