import type { AnswerDetails, FinishReason } from './answer.ts';
import type { ActionToApprove, CodeBlock, HumanInputMode } from './approval.ts';
import type { ChatResult } from './chat-result.ts';
import type { Artifact } from './code-result.ts';
import type { ModelErrorKind } from './error.ts';
import type { ChatMessage, ContentPart, Reply } from './message.ts';
import type { SearchJobKind, SearchStatus, SearchUsage } from './search.ts';
import type { TerminationReason } from './termination.ts';
import type { Usage, UsageMode, UsageSummary } from './usage.ts';
export interface EventEnvelope {
    readonly runId: string | null;
    readonly seq: number;
    readonly time: number;
    readonly chatId: string | null;
    readonly agentPath: readonly string[] | null;
    readonly parentId: string | null;
    readonly recalled?: true | undefined;
}
export interface EventOptions {
    readonly content?: boolean | undefined;
    readonly redact?: ((event: XEvent) => XEvent | null) | undefined;
    readonly maxTextLength?: number | undefined;
    readonly recalled?: boolean | undefined;
}
export interface EventFields {
    usageSummary: {
        agent: string | null;
        actualUsageSummary: UsageSummary | null;
        totalUsageSummary: UsageSummary | null;
        mode: UsageMode;
    };
    conversableAgentUsageSummary: {
        agent: string;
        recipient: string;
    };
    conversableAgentUsageSummaryNoCostIncurred: {
        agent: string;
        recipient: string;
    };
    clearConversableAgentHistory: {
        agent: string;
        noMessagesPreserved: number;
    };
    clearConversableAgentHistoryWarning: {
        agent: string;
        recipient: string;
    };
    terminationAndHumanReply: {
        agent: string;
        noHumanInputMsg: string;
        sender: string | null;
        recipient: string;
    };
    usingAutoReply: {
        agent: string;
        humanInputMode: HumanInputMode;
        sender: string | null;
        recipient: string;
    };
    executeCodeBlock: {
        agent: string;
        code: string;
        language: string;
        codeBlockCount: number;
        recipient: string;
    };
    executeFunction: {
        agent: string;
        funcName: string;
        callId: string | null;
        arguments: unknown;
        recipient: string;
    };
    executedFunction: {
        agent: string;
        funcName: string;
        callId: string | null;
        arguments: unknown;
        content: string;
        recipient: string;
    };
    groupChatRunChat: {
        agent: string;
        speaker: string;
        round: number;
        reason: SpeakerReason;
    };
    groupChatResume: {
        agent: string;
        lastSpeaker: string;
        messages: readonly ChatMessage[];
    };
    clearAgentsHistory: {
        agent: string | null;
        nrMessagesToPreserve: number | null;
    };
    selectSpeaker: {
        agent: null;
        agents: readonly string[];
    };
    selectSpeakerInvalidInput: {
        agent: null;
        agents: readonly string[];
    };
    selectSpeakerTryCountExceeded: {
        agent: null;
        tryCount: number;
        agents: readonly string[];
    };
    speakerAttemptSuccessful: SpeakerAttempt;
    speakerAttemptFailedMultipleAgents: SpeakerAttempt;
    speakerAttemptFailedNoAgents: SpeakerAttempt;
    receivedMessage: {
        agent: string;
        sender: string;
        recipient: string;
        message: ChatMessage;
        index: number;
        silent?: true | undefined;
    };
    answerBegin: {
        agent: string;
        responseId: string;
        model: string;
    };
    textDelta: {
        agent: string;
        index: number;
        text: string;
    };
    reasoningDelta: {
        agent: string;
        index: number;
        text: string;
    };
    textWasReasoning: {
        agent: string;
        index: number;
    };
    toolInputDelta: {
        agent: string;
        index: number;
        call: number;
        callId: string | null;
        name: string;
        text: string;
    };
    toolProgress: {
        agent: string | null;
        source: string;
        name: string;
        callId: string | null;
        progress: number;
        total: number | null;
        message: string | null;
    };
    codeOutput: {
        agent: string | null;
        stream: 'stdout' | 'stderr';
        text: string;
        block: number;
    };
    approvalRequested: {
        agent: string;
        id: string;
        action: ActionToApprove;
    };
    handoff: {
        agent: string;
        to: string;
        target: string;
        by: HandoffCause;
    };
    safeguard: {
        agent: string;
        source: string;
        target: string;
        action: 'block' | 'mask' | 'warning';
        check: 'regex' | 'llm';
    };
    steeringMessage: {
        agent: string;
        text: string;
    };
    historyCut: {
        agent: string;
    } & HistoryCutReport;
    searchNode: {
        agent: string | null;
        node: string;
        parent: string | null;
        content: string;
        depth: number;
    };
    searchGrade: {
        agent: string | null;
        node: string;
        grade: number | null;
        details: string;
    };
    searchFate: {
        agent: string | null;
        node: string;
        fate: string;
    };
    searchBest: {
        agent: string | null;
        node: string | null;
        text: string | null;
        grade: number | null;
    };
    waitingToRetry: {
        agent: null;
        kind: string;
        reason: string;
        failures: number;
        delayMs: number;
    };
    warning: {
        agent: string | null;
        text: string;
        topic: string;
    };
    custom: {
        agent: string | null;
        name: string;
        data: unknown;
    };
}
export interface SpanFields {
    chat: {
        start: {
            agent: string;
            recipient: string;
            message: Reply | null;
            options: ChatSettings;
        };
        end: {
            agent: string;
            recipient: string;
            terminationReason: TerminationReason | null;
            summary: ChatResult['summary'] | null;
            result: unknown;
            group: GroupEnd | null;
            cost: ChatResult['cost'] | null;
            humanInput: readonly string[];
            messages: readonly ChatMessage[] | null;
        };
    };
    reply: {
        start: {
            agent: string;
            sender: string | null;
        };
        end: {
            agent: string;
            sender: string | null;
            reply: Reply | null;
        };
    };
    modelCall: {
        start: {
            agent: string | null;
        };
        end: {
            agent: string | null;
        } & ModelCallOutcome;
    };
    modelAttempt: {
        start: AttemptOrigin & {
            messages: number;
            digest: string;
            streamed: boolean;
            parameters: Readonly<Record<string, unknown>>;
        };
        end: AttemptOrigin & {
            cached: boolean;
            sendings: number;
            waitedMs?: number | undefined;
            kind: ModelErrorKind | null;
            responseId: string | null;
            responseModel: string | null;
            finishReason: FinishReason | null;
            firstTokenAt: number | null;
            usage: EventUsage | null;
            cost: number | null;
        };
    };
    tool: {
        start: {
            agent: string;
            name: string;
            callId: string | null;
            arguments: Readonly<Record<string, unknown>> | null;
        };
        end: {
            agent: string;
            name: string;
            callId: string | null;
            arguments: Readonly<Record<string, unknown>> | null;
            result: string | null;
            parts: readonly ContentPart[] | null;
            approval: ToolApproval | null;
        };
    };
    code: {
        start: {
            agent: string | null;
            blocks: readonly CodeBlock[];
        };
        end: {
            agent: string | null;
            exitCode: number | null;
            output: string;
            artifacts: readonly Artifact[];
        };
    };
    humanInput: {
        start: {
            agent: string;
            prompt: string;
        };
        end: {
            agent: string;
            answer: string | null;
        };
    };
    search: {
        start: {
            agent: string | null;
            question: string;
        };
        end: {
            agent: string | null;
            status: SearchStatus | null;
            answer: string | null;
            used: SearchUsage | null;
            confidence?: number | undefined;
        };
    };
    searchJob: {
        start: {
            agent: string | null;
            job: string;
            kind: SearchJobKind;
        };
        end: {
            agent: string | null;
            job: string;
            kind: SearchJobKind;
            nodes: readonly string[];
            used: SearchUsage | null;
            failure: string | null;
            replayed: boolean;
        };
    };
}
export type SpanOutcome = 'ok' | 'error' | 'aborted' | 'suspended';
interface SpanStart {
    readonly id: string;
    readonly parentId: string | null;
    readonly resumed?: true | undefined;
}
interface SpanEnd {
    readonly id: string;
    readonly parentId: string | null;
    readonly ms: number;
    readonly outcome: SpanOutcome;
    readonly error: {
        readonly code: string | null;
        readonly message: string;
    } | null;
}
type Flat<T> = {
    [K in keyof T]: T[K];
};
export type SpanEvent = {
    [K in keyof SpanFields]: Flat<{
        type: `${K}Start`;
    } & SpanStart & SpanFields[K]['start']> | Flat<{
        type: `${K}End`;
    } & SpanEnd & SpanFields[K]['end']>;
}[keyof SpanFields];
export type EventBody = {
    [K in keyof EventFields]: Flat<{
        type: K;
    } & EventFields[K]>;
}[Exclude<keyof EventFields, 'custom'>] | {
    type: 'custom';
    agent?: string | null;
    name: string;
    data: unknown;
} | SpanEvent;
export type XEvent = ({
    [K in keyof EventFields]: Flat<{
        type: K;
    } & EventFields[K]>;
}[keyof EventFields] | SpanEvent) & EventEnvelope;
interface SpeakerAttempt {
    agent: null;
    mentions: Readonly<Record<string, number>>;
    attempt: number;
    attemptsLeft: number;
}
export type SpeakerReason = 'function' | 'executor' | 'only-one' | 'round_robin' | 'random' | 'manual' | 'auto' | 'next-in-order' | 'admin' | 'initial' | 'handoff' | 'answered';
export type HandoffCause = 'test' | 'tool' | 'result' | 'guardrail' | 'afterWork' | 'groupAfterWork';
interface ChatSettings {
    readonly maxTurns: number | null;
    readonly clearHistory: boolean;
    readonly conversation: 'shared' | 'own';
    readonly silent: boolean;
    readonly summaryMethod: 'last_msg' | 'reflection_with_llm' | 'function' | null;
}
interface GroupEnd {
    readonly contextVariables?: Readonly<Record<string, unknown>>;
    readonly lastSpeaker?: string;
    readonly messages: readonly ChatMessage[];
    readonly terminationDetail?: string | null;
}
export type EventUsage = Pick<Usage, 'promptTokens' | 'completionTokens' | 'totalTokens' | 'cachedTokens' | 'reasoningTokens'> & {
    cacheWriteTokens?: number | undefined;
};
interface ModelCallOutcome {
    message: Reply | null;
    details: AnswerDetails | null;
    model: string | null;
    configId: number | null;
    finishReason: FinishReason | null;
    cached: boolean;
    usage: EventUsage | null;
    cost: number | null;
}
interface AttemptOrigin {
    agent: string | null;
    configId: number;
    provider: string | null;
    endpoint: string | null;
    model: string | null;
}
interface ToolApproval {
    readonly allow: boolean;
    readonly reason: string | null;
    readonly by: string | null;
}
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
