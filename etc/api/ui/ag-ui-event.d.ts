type Metadata = Readonly<Record<string, unknown>>;
interface Attribution {
    readonly subagentRunId?: string;
    readonly metadata?: Metadata;
}
export type AgUiEvent = {
    type: 'RUN_STARTED';
    threadId: string;
    runId: string;
    protocolVersion: '1.0';
} | {
    type: 'RUN_FINISHED';
    threadId: string;
    runId: string;
    outcome: AgUiOutcome;
    usage: AgUiUsage[];
    metadata: Metadata;
} | {
    type: 'RUN_ERROR';
    message: string;
    usage: AgUiUsage[];
    metadata: Metadata;
} | (Attribution & ({
    type: 'TEXT_MESSAGE_START';
    messageId: string;
    role: 'assistant';
    name?: string;
} | {
    type: 'REASONING_MESSAGE_START';
    messageId: string;
    role: 'reasoning';
} | {
    type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT';
    messageId: string;
    delta: string;
} | {
    type: 'TEXT_MESSAGE_END' | 'REASONING_MESSAGE_END';
    messageId: string;
} | {
    type: 'REASONING_START' | 'REASONING_END';
    messageId: string;
} | {
    type: 'TOOL_CALL_START';
    toolCallId: string;
    toolCallName: string;
    parentMessageId?: string;
} | {
    type: 'TOOL_CALL_ARGS';
    toolCallId: string;
    delta: string;
} | {
    type: 'TOOL_CALL_END';
    toolCallId: string;
} | {
    type: 'TOOL_CALL_RESULT';
    messageId: string;
    toolCallId: string;
    role: 'tool';
    content: string | AgUiPart[];
} | {
    type: 'CUSTOM';
    name: string;
    value: unknown;
})) | {
    type: 'SUBAGENT_STARTED';
    subagentRunId: string;
    name: string;
    parentSubagentRunId?: string;
    parentToolCallId?: string;
} | {
    type: 'SUBAGENT_FINISHED';
    subagentRunId: string;
    outcome: {
        type: 'success' | 'suspended';
    };
} | {
    type: 'SUBAGENT_ERROR';
    subagentRunId: string;
    message: string;
} | {
    type: 'MESSAGES_SNAPSHOT';
    messages: AgUiMessage[];
};
export type AgUiOutcome = {
    type: 'success' | 'cancelled';
} | {
    type: 'interrupt';
    interrupts: AgUiInterrupt[];
};
export interface AgUiInterrupt {
    readonly id: string;
    readonly reason: 'tool_call' | 'input_required' | 'decided_elsewhere';
    readonly message: string;
    readonly toolCallId?: string;
    readonly subagentRunId?: string;
    readonly responseSchema?: Record<string, unknown>;
    readonly metadata: Metadata;
}
export interface AgUiUsage {
    readonly model: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly totalTokens: number;
}
export type AgUiPart = {
    type: 'text';
    text: string;
} | {
    type: 'image' | 'audio' | 'document';
    source: {
        type: 'url' | 'file';
        value: string;
    };
};
export type AgUiMessage = {
    readonly id: string;
    readonly role: string;
} & Readonly<Record<string, unknown>>;
export {};
