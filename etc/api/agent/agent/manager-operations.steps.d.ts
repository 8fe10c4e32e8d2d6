import type { Agent, ChatMessage, EventBody, JournalKind, JsonSchema, MaybePromise, Model, Reply, Run, RunContext, TerminationReason } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ManagerRole } from '../options/manager-role.ts';
export declare function setManagerRole(agent: Agent, role: ManagerRole): void;
export declare const leadMembers: <T>(manager: Agent, steps: Steps<T>) => Steps<T>;
export declare const say: (from: Agent, reply: Reply, to: Agent, silent?: boolean | null) => Steps<ChatMessage>;
export declare const sayToAll: (from: Agent, message: ChatMessage, recipients: readonly Agent[]) => Steps<void>;
export declare function endConversation(agent: Agent, counterpart: Agent | null, reason: TerminationReason): Steps<void>;
export declare const shortenHistory: (agent: Agent, preserved: number) => EventBody | undefined;
interface NamedQuestion {
    readonly name: string;
    readonly model: Model;
    readonly messages: readonly ChatMessage[];
    readonly answerSchema?: JsonSchema | undefined;
}
export declare const askAs: (agent: Agent, question: NamedQuestion) => Steps<Reply | null>;
interface LabelledCall {
    readonly kind: JournalKind;
    readonly label: string;
    readonly shape?: JsonSchema | undefined;
    readonly agent?: Agent | undefined;
    readonly span?: {
        readonly type: 'humanInput';
        readonly agent: string;
    } | undefined;
}
export declare const externalCall: <T>(call: LabelledCall, ask: (context: RunContext & {
    readonly run: Run;
}) => MaybePromise<T>) => Steps<T>;
export {};
