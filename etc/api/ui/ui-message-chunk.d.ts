type Metadata = Readonly<Record<string, Readonly<Record<string, string>>>>;
export type UiMessageChunk = {
    type: 'start';
    messageId?: string;
} | {
    type: 'start-step' | 'finish-step' | 'reset-step';
} | {
    type: 'text-start' | 'reasoning-start';
    id: string;
    providerMetadata?: Metadata;
} | {
    type: 'text-delta' | 'reasoning-delta';
    id: string;
    delta: string;
} | {
    type: 'text-end' | 'reasoning-end';
    id: string;
} | {
    type: 'tool-input-start';
    toolCallId: string;
    toolName: string;
} | {
    type: 'tool-input-delta';
    toolCallId: string;
    inputTextDelta: string;
} | {
    type: 'tool-input-available';
    toolCallId: string;
    toolName: string;
    input: unknown;
    toolMetadata: Record<string, string>;
} | {
    type: 'tool-output-available';
    toolCallId: string;
    output: unknown;
    toolMetadata?: Record<string, string>;
} | {
    type: 'tool-output-error';
    toolCallId: string;
    errorText: string;
} | {
    type: 'tool-output-denied';
    toolCallId: string;
} | {
    type: 'tool-approval-request';
    toolCallId: string;
    approvalId: string;
    reason?: string;
    isAutomatic?: true;
    signature?: string;
} | {
    type: 'tool-approval-response';
    approvalId: string;
    approved: boolean;
    reason?: string;
} | {
    type: 'source-url';
    sourceId: string;
    url: string;
    title?: string;
} | {
    type: 'source-document';
    sourceId: string;
    mediaType: string;
    title: string;
} | {
    type: 'file';
    url: string;
    mediaType: string;
} | {
    type: `data-${string}`;
    id?: string;
    data: unknown;
} | {
    type: 'message-metadata';
    messageMetadata: UiMessageMetadata;
} | {
    type: 'finish';
    finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
    messageMetadata?: UiMessageMetadata;
} | {
    type: 'abort';
} | {
    type: 'error';
    errorText: string;
};
export interface UiMessageMetadata {
    readonly usage: {
        readonly inputTokens: number;
        readonly outputTokens: number;
        readonly totalTokens: number;
    };
    readonly cost: number | null;
    readonly terminationReason: string | null;
    readonly cursor?: string;
}
export interface UiAgentMessage {
    readonly id: string;
    readonly role: 'assistant';
    readonly metadata: {
        readonly agent: string;
        readonly toolCallId: string | null;
        readonly state?: 'running' | 'waiting' | 'done' | 'failed' | 'stopped';
    };
    readonly parts: readonly UiAgentPart[];
}
export interface UiError {
    readonly code: string | null;
    readonly message: string;
}
export type UiAgentPart = {
    readonly type: 'text' | 'reasoning';
    readonly text: string;
    readonly state: 'done';
} | {
    readonly type: `tool-${string}`;
    readonly toolCallId: string;
    readonly state: 'input-available' | 'output-available' | 'output-error' | 'output-denied';
    readonly input: unknown;
    readonly output?: unknown;
    readonly errorText?: string;
    readonly approval?: {
        readonly id: string;
        readonly approved: false;
        readonly reason?: string;
    };
};
export {};
