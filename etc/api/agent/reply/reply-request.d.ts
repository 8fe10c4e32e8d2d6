import type { Agent, ChatMessage } from '@x/interfaces';
export interface ReplyRequest {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly exclude?: readonly object[] | undefined;
}
