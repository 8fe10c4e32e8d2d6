import type { Agent, ChatMessage, CodeExecutionConfig, CodeToVet, HistoryView, Hooks, HumanInputMode, Io, LlmConfig, Logger, Reply, RunContext, RunTracer, Tool, ToolCallToVet, Vet } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { MappedFunction } from '../options/operations.ts';
import type { AgentAttributes } from './attributes.ts';
export type StateUpdate = UpdateSystemMessage | {
    call(agent: AgentAttributes, messages: readonly ChatMessage[], context: RunContext): void | PromiseLike<void>;
}['call'];
export interface ConversableAgentOptions {
    name: string;
    systemMessage?: string | undefined;
    isTerminationMsg?: ((message: ChatMessage) => boolean) | undefined;
    maxConsecutiveAutoReply?: number | undefined;
    humanInputMode?: HumanInputMode | undefined;
    functionMap?: Readonly<Record<string, MappedFunction>> | undefined;
    codeExecutionConfig?: CodeExecutionConfig | false | undefined;
    beforeToolCall?: Vet<ToolCallToVet> | undefined;
    beforeCodeExecution?: Vet<CodeToVet> | undefined;
    llmConfig?: LlmConfig | false | undefined;
    history?: HistoryView | undefined;
    defaultAutoReply?: Reply | undefined;
    description?: string | undefined;
    chatMessages?: ReadonlyMap<Agent, readonly ChatMessage[]> | undefined;
    silent?: boolean | null | undefined;
    contextVariables?: Readonly<Record<string, unknown>> | undefined;
    functions?: Tool | readonly Tool[] | undefined;
    updateAgentStateBeforeReply?: StateUpdate | readonly StateUpdate[] | undefined;
    io?: Io | undefined;
    logger?: Logger | undefined;
    tracer?: RunTracer | undefined;
    now?: (() => number) | undefined;
}
export type SystemMessageUpdater = string | {
    call(agent: AgentAttributes, messages: readonly ChatMessage[], context: RunContext): string;
}['call'];
export declare class UpdateSystemMessage {
    readonly contentUpdater: SystemMessageUpdater;
    constructor(contentUpdater: SystemMessageUpdater);
    hook(): Hooks['updateAgentState'];
}
export declare const AGENT_OPTION_KINDS: OptionKinds<ConversableAgentOptions>;
