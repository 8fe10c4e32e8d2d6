import type { ConversableAgent, ConversableAgentOptions } from '@x/agent';
import type { Agent, ChatMessage, SummaryMethod } from '@x/interfaces';
import type { ContextVariables } from '../handoff/context-variables.ts';
import type { Guardrail } from '../handoff/guardrail.ts';
import type { Handoff } from '../handoff/handoff.ts';
import { type GroupChatTarget, type GroupChatTargetOptions, type Target } from '../handoff/target.ts';
export interface Member<C = Record<string, unknown>> {
    readonly agent: ConversableAgent;
    readonly handoffs?: readonly Handoff<C>[] | undefined;
    readonly inputGuardrails?: readonly Guardrail<C>[] | undefined;
    readonly outputGuardrails?: readonly Guardrail<C>[] | undefined;
    readonly sees?: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined;
}
export declare function checkMember(member: Member<never>, attempt: string): void;
interface RunStanding<C> {
    readonly messages: readonly ChatMessage[];
    readonly variables: Readonly<C>;
    readonly lastSpeaker: string;
    readonly rounds: number;
}
interface PatternOptions<C extends object = Record<string, unknown>> {
    readonly initialAgent: Agent | string;
    readonly agents: readonly (ConversableAgent | Member<NoInfer<C>>)[];
    readonly userAgent?: ConversableAgent | Member<NoInfer<C>> | undefined;
    readonly contextVariables?: C | ContextVariables<C> | undefined;
    readonly groupAfterWork?: Target<NoInfer<C>> | undefined;
    readonly targets?: readonly Target<NoInfer<C>>[] | undefined;
    readonly until?: ((standing: RunStanding<NoInfer<C>>) => string | false | undefined) | undefined;
    readonly excludeTransitMessage?: boolean | undefined;
    readonly summaryMethod?: SummaryMethod | undefined;
    readonly groupManagerArgs?: Partial<ConversableAgentOptions> | undefined;
    readonly random?: ((agents: readonly Agent[]) => number) | undefined;
}
interface PatternTurn {
    readonly speaker: ConversableAgent;
    readonly agents: readonly ConversableAgent[];
    readonly userAgent: ConversableAgent | null;
}
export interface GroupPattern<C extends object = Record<string, unknown>> extends PatternOptions<C> {
    readonly next?: ((turn: PatternTurn) => Target<C>) | undefined;
}
export declare const defaultPattern: <C extends object = Record<string, unknown>>(options: PatternOptions<C>) => GroupPattern<C>;
type AutoOptions<C extends object> = Omit<PatternOptions<C>, 'groupAfterWork'> & {
    readonly selectionMessage?: string | undefined;
};
export declare const autoPattern: <C extends object = Record<string, unknown>>({ selectionMessage, ...options }: AutoOptions<C>) => GroupPattern<C>;
export declare const roundRobinPattern: <C extends object = Record<string, unknown>>(options: Omit<PatternOptions<C>, 'groupAfterWork'>) => GroupPattern<C>;
export declare const randomPattern: <C extends object = Record<string, unknown>>(options: Omit<PatternOptions<C>, 'groupAfterWork'>) => GroupPattern<C>;
export declare const manualPattern: <C extends object = Record<string, unknown>>(options: Omit<PatternOptions<C>, 'groupAfterWork'>) => GroupPattern<C>;
export declare const groupChat: <C extends object>(pattern: GroupPattern<C>, options?: GroupChatTargetOptions) => GroupChatTarget;
export {};
