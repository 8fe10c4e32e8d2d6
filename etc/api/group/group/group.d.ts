import type { ConversableAgent } from '@x/agent';
import type { Agent, ChatMessage, MaybePromise, RunContext } from '@x/interfaces';
import { XError } from '@x/kernel';
export interface Group {
    readonly agents: readonly ConversableAgent[];
    readonly agentNames: readonly string[];
    readonly messages: readonly ChatMessage[];
    readonly maxRound: number;
    agentByName(name: string): ConversableAgent | null;
    nextAgent(agent: Agent, agents?: readonly Agent[]): ConversableAgent;
}
export type SelectSpeaker = (lastSpeaker: Agent, groupchat: Group, context: RunContext) => MaybePromise<Agent | string | null>;
export type SelectCandidates = (eligible: readonly ConversableAgent[], groupchat: Group, context: RunContext) => MaybePromise<readonly (Agent | string)[]>;
export type TransformMessages = (messages: readonly ChatMessage[]) => MaybePromise<readonly ChatMessage[]>;
export type SpeakerTransitions = ReadonlyMap<Agent, readonly Agent[]> | Readonly<Record<string, readonly Agent[]>>;
export declare function nextAgent(all: readonly ConversableAgent[], agent: Agent, candidates?: readonly Agent[]): ConversableAgent;
export declare const isAgent: (value: unknown) => value is Agent;
export declare const groupChatError: (problem: string) => XError;
