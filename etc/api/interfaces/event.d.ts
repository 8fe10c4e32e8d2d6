import type { ChatMessage } from './message.ts';
import type { ActionToApprove } from './journal.ts';
import type { HumanInputMode } from './human.ts';
import type { ModelEvent } from './model-event.ts';
import type { SearchEvent } from './search-event.ts';
import type { UsageMode, UsageSummary } from './usage.ts';
export interface UsageSummaryEvent {
    type: 'usageSummary';
    actualUsageSummary: UsageSummary | null;
    totalUsageSummary: UsageSummary | null;
    mode: UsageMode;
}
export interface ConversableAgentUsageSummaryEvent {
    type: 'conversableAgentUsageSummary';
    recipient: string;
}
export interface ConversableAgentUsageSummaryNoCostIncurredEvent {
    type: 'conversableAgentUsageSummaryNoCostIncurred';
    recipient: string;
}
export interface ClearConversableAgentHistoryEvent {
    type: 'clearConversableAgentHistory';
    agent: string;
    noMessagesPreserved: number;
}
export interface ClearConversableAgentHistoryWarningEvent {
    type: 'clearConversableAgentHistoryWarning';
    recipient: string;
}
export interface TerminationAndHumanReplyEvent {
    type: 'terminationAndHumanReply';
    noHumanInputMsg: string;
    sender: string | null;
    recipient: string;
}
export interface UsingAutoReplyEvent {
    type: 'usingAutoReply';
    humanInputMode: HumanInputMode;
    sender: string | null;
    recipient: string;
}
export interface ExecuteCodeBlockEvent {
    type: 'executeCodeBlock';
    code: string;
    language: string;
    codeBlockCount: number;
    recipient: string;
}
export interface CodeOutputEvent {
    type: 'codeOutput';
    stream: 'stdout' | 'stderr';
    text: string;
    block: number;
}
export interface ExecuteFunctionEvent {
    type: 'executeFunction';
    funcName: string;
    callId: string | null;
    arguments: unknown;
    recipient: string;
}
export interface ExecutedFunctionEvent {
    type: 'executedFunction';
    funcName: string;
    callId: string | null;
    arguments: unknown;
    content: string;
    recipient: string;
}
export interface ReceivedMessageEvent {
    type: 'receivedMessage';
    sender: string;
    recipient: string;
    message: ChatMessage;
}
export interface ModelDeltaEvent {
    type: 'modelDelta';
    agent: string;
    event: ModelEvent;
}
export interface SearchProgressEvent {
    type: 'searchProgress';
    agent: string;
    event: SearchEvent;
}
export interface WarningEvent {
    type: 'warning';
    text: string;
    topic: string;
}
export interface ApprovalRequestedEvent {
    type: 'approvalRequested';
    id: string;
    agent: string;
    action: ActionToApprove;
}
export interface EventOrigin {
    chatId?: string | undefined;
    agentPath?: readonly string[] | undefined;
}
export type XEvent = AnyEvent & EventOrigin;
type AnyEvent = ApprovalRequestedEvent | UsageSummaryEvent | ConversableAgentUsageSummaryEvent | ConversableAgentUsageSummaryNoCostIncurredEvent | ClearConversableAgentHistoryEvent | ClearConversableAgentHistoryWarningEvent | TerminationAndHumanReplyEvent | UsingAutoReplyEvent | ExecuteCodeBlockEvent | CodeOutputEvent | ExecuteFunctionEvent | ExecutedFunctionEvent | ReceivedMessageEvent | ModelDeltaEvent | SearchProgressEvent | WarningEvent;
export {};
