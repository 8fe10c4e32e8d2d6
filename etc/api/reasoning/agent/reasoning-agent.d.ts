import { AssistantAgent, UserProxyAgent, type ConversableAgentOptions } from '@x/agent';
import type { Agent, ChatMessage, EventStream, FunctionSchema, LlmConfig, ReplyOutcome, RunOptions, SearchBeliefs, ToolSchema } from '@x/interfaces';
import type { Random } from '../strategy/random.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import type { InternalAgent } from './internal-agent.ts';
import { type RateNodeOptions } from './reasoner.steps.ts';
import { type DeprecatedReasonOptions, type ReasonConfig } from './settings.ts';
export interface ReasoningAgentOptions extends ConversableAgentOptions, DeprecatedReasonOptions {
    llmConfig: LlmConfig;
    thinkerLlmConfig?: LlmConfig | null | undefined;
    graderLlmConfig?: LlmConfig | null | undefined;
    reasonConfig?: ReasonConfig | null | undefined;
    verbose?: boolean | undefined;
    random?: Random | undefined;
}
export interface ForestResponseOptions extends RunOptions {
    messages?: readonly ChatMessage[] | null | undefined;
    sender?: Agent | null | undefined;
    config?: unknown;
}
export declare class ReasoningAgent extends AssistantAgent {
    #private;
    constructor(options: ReasoningAgentOptions);
    get method(): string;
    get root(): ThinkNode | null;
    get beliefs(): SearchBeliefs | null;
    get thinker(): InternalAgent;
    get grader(): InternalAgent;
    get userProxy(): UserProxyAgent | null;
    updateToolSignature(signature: string | ToolSchema, options?: {
        isRemove?: boolean;
    }): void;
    updateFunctionSignature(signature: string | FunctionSchema, options?: {
        isRemove?: boolean;
    }): void;
    rateNode(node: ThinkNode, options?: RateNodeOptions & RunOptions): Promise<number>;
    rateNodeSync(node: ThinkNode, options?: RateNodeOptions & Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): number;
    generateForestResponse(options?: ForestResponseOptions): Promise<ReplyOutcome>;
    generateForestResponseSync(options?: Omit<ForestResponseOptions, 'signal'>): ReplyOutcome;
    generateForestResponseStream(options?: Omit<ForestResponseOptions, 'emit'>): EventStream<ReplyOutcome>;
}
