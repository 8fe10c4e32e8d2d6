export type ErrorCode = 'aborted' | 'ambiguous-conversation' | 'ambiguous-name' | 'async-in-sync' | 'budget-exceeded' | 'client-not-registered' | 'connection-failed' | 'content-filter' | 'duplicate-hook' | 'end-of-input' | 'eval-failed' | 'invalid-argument' | 'invalid-config' | 'invalid-message' | 'invalid-name' | 'invalid-result' | 'invalid-state' | 'conversation-busy' | 'model-failed' | 'no-eligible-speaker' | 'no-executor' | 'no-response' | 'no-sandbox' | 'run-differs' | 'server-refused' | 'suspended' | 'timeout' | 'too-many-messages' | 'tool-failed' | 'undefined-next-agent' | 'unknown-client' | 'unknown-conversation' | 'unknown-hook' | 'unknown-method' | 'unknown-provider' | 'unknown-state-version' | 'unknown-tool';
export type ModelErrorKind = 'timeout' | 'rate-limit' | 'quota' | 'overloaded' | 'server' | 'connection' | 'auth' | 'not-found' | 'invalid-request' | 'context-overflow' | 'truncated' | 'content-filter' | 'aborted';
export interface ModelAttempt {
    readonly configId: number;
    readonly model: string | null;
    readonly kind: ModelErrorKind | 'rejected';
    readonly status?: number | undefined;
    readonly message: string;
    readonly ms: number;
}
export interface ErrorInit {
    readonly cause?: unknown;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    readonly kind?: ModelErrorKind | undefined;
    readonly status?: number | undefined;
    readonly retryAfterMs?: number | undefined;
    readonly attempts?: readonly ModelAttempt[] | undefined;
}
