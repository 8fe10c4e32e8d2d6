import type { ActionToApprove, HumanInputMode } from './approval.ts';
import type { ModelErrorKind } from './error.ts';
import type { ChatMessage } from './message.ts';
import type { ModelEvent } from './model-event.ts';
import type { SearchEvent } from './search.ts';
import type { TerminationReason } from './termination.ts';
import type { Usage, UsageMode, UsageSummary } from './usage.ts';
export interface EventOrigin {
    readonly chatId: string | null;
    readonly agentPath: readonly string[] | null;
}
export type EventBody = RecordedEvent | OtherEvent | SpanEvent;
export type XEvent = EventBody & EventOrigin;
export type RecordedEvent = {
    type: 'usageSummary';
    agent: string | null;
    actualUsageSummary: UsageSummary | null;
    totalUsageSummary: UsageSummary | null;
    mode: UsageMode;
} | {
    type: 'conversableAgentUsageSummary';
    agent: string;
    recipient: string;
} | {
    type: 'conversableAgentUsageSummaryNoCostIncurred';
    agent: string;
    recipient: string;
} | {
    type: 'clearConversableAgentHistory';
    agent: string;
    noMessagesPreserved: number;
} | {
    type: 'clearConversableAgentHistoryWarning';
    agent: string;
    recipient: string;
} | {
    type: 'terminationAndHumanReply';
    agent: string;
    noHumanInputMsg: string;
    sender: string | null;
    recipient: string;
} | {
    type: 'usingAutoReply';
    agent: string;
    humanInputMode: HumanInputMode;
    sender: string | null;
    recipient: string;
} | {
    type: 'executeCodeBlock';
    agent: string;
    code: string;
    language: string;
    codeBlockCount: number;
    recipient: string;
} | {
    type: 'executeFunction';
    agent: string;
    funcName: string;
    callId: string | null;
    arguments: unknown;
    recipient: string;
} | {
    type: 'executedFunction';
    agent: string;
    funcName: string;
    callId: string | null;
    arguments: unknown;
    content: string;
    recipient: string;
} | {
    type: 'groupChatRunChat';
    agent: string;
    speaker: string;
    round: number;
    reason: SpeakerReason;
} | {
    type: 'groupChatResume';
    agent: string;
    lastSpeaker: string;
    messages: readonly ChatMessage[];
} | {
    type: 'clearAgentsHistory';
    agent: string | null;
    nrMessagesToPreserve: number | null;
} | {
    type: 'selectSpeaker';
    agent: null;
    agents: readonly string[];
} | {
    type: 'selectSpeakerInvalidInput';
    agent: null;
    agents: readonly string[];
} | {
    type: 'selectSpeakerTryCountExceeded';
    agent: null;
    tryCount: number;
    agents: readonly string[];
} | ({
    type: 'speakerAttemptSuccessful';
} & SpeakerAttempt) | ({
    type: 'speakerAttemptFailedMultipleAgents';
} & SpeakerAttempt) | ({
    type: 'speakerAttemptFailedNoAgents';
} & SpeakerAttempt);
interface SpeakerAttempt {
    agent: null;
    mentions: Readonly<Record<string, number>>;
    attempt: number;
    attemptsLeft: number;
}
export type SpeakerReason = 'function' | 'executor' | 'only-one' | 'round_robin' | 'random' | 'manual' | 'auto' | 'next-in-order' | 'admin' | 'initial' | 'handoff' | 'answered';
export type HandoffCause = 'test' | 'tool' | 'result' | 'guardrail' | 'afterWork' | 'groupAfterWork';
type OtherEvent = {
    type: 'handoff';
    agent: string;
    to: string;
    target: string;
    by: HandoffCause;
} | {
    type: 'safeguard';
    agent: string;
    source: string;
    target: string;
    action: 'block' | 'mask' | 'warning';
    check: 'regex' | 'llm';
} | {
    type: 'receivedMessage';
    agent: string;
    sender: string;
    recipient: string;
    message: ChatMessage;
} | {
    type: 'codeOutput';
    agent: string | null;
    stream: 'stdout' | 'stderr';
    text: string;
    block: number;
} | {
    type: 'toolProgress';
    agent: string | null;
    source: string;
    name: string;
    callId: string | null;
    progress: number;
    total: number | null;
    message: string | null;
} | {
    type: 'modelDelta';
    agent: string;
    event: ModelEvent;
} | {
    type: 'searchProgress';
    agent: string | null;
    event: SearchEvent;
} | ({
    type: 'historyCut';
    agent: string;
} & HistoryCutReport) | {
    type: 'warning';
    agent: string | null;
    text: string;
    topic: string;
} | {
    type: 'approvalRequested';
    agent: string;
    id: string;
    action: ActionToApprove;
};
export type SpanOutcome = 'ok' | 'error' | 'aborted' | 'suspended';
interface SpanStart {
    agent: string | null;
    id: string;
    parentId: string | null;
    time: number;
    resumed?: true;
}
interface SpanEnd {
    agent: string | null;
    id: string;
    parentId: string | null;
    time: number;
    ms: number;
    outcome: SpanOutcome;
    error: {
        code: string | null;
        message: string;
    } | null;
}
export type SpanEvent = (SpanStart & {
    type: 'chatStart';
    recipient: string;
}) | (SpanEnd & {
    type: 'chatEnd';
    recipient: string;
    terminationReason: TerminationReason | null;
}) | (SpanStart & {
    type: 'replyStart';
    sender: string | null;
}) | (SpanEnd & {
    type: 'replyEnd';
    sender: string | null;
}) | (SpanStart & {
    type: 'modelCallStart';
}) | (SpanEnd & {
    type: 'modelCallEnd';
}) | (SpanStart & {
    type: 'modelAttemptStart';
    configId: number;
    model: string | null;
    messages: number;
    digest: string;
}) | (SpanEnd & {
    type: 'modelAttemptEnd';
    configId: number;
    model: string | null;
    cached: boolean;
    sendings: number;
    waitedMs?: number;
    kind: ModelErrorKind | null;
    usage: Pick<Usage, 'promptTokens' | 'completionTokens' | 'totalTokens'> | null;
    cost: number | null;
}) | (SpanStart & {
    type: 'toolStart';
    name: string;
    callId: string | null;
}) | (SpanEnd & {
    type: 'toolEnd';
    name: string;
    callId: string | null;
}) | (SpanStart & {
    type: 'codeStart';
}) | (SpanEnd & {
    type: 'codeEnd';
}) | (SpanStart & {
    type: 'humanInputStart';
}) | (SpanEnd & {
    type: 'humanInputEnd';
});
export interface HistoryCutReport {
    readonly reason: 'tokens' | 'messages' | 'overflow';
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly leftOut: number;
    readonly summarized: number;
    readonly cleared: number;
    readonly shortened: number;
}
export {};
