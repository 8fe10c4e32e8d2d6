import { type ConversableAgent } from '@x/agent';
import type { Io, LlmConfig, Tool } from '@x/interfaces';
export interface Cast {
    readonly user: ConversableAgent;
    readonly assistant: ConversableAgent;
}
export interface CastOptions {
    readonly llmConfig: LlmConfig;
    readonly systemMessage: string;
    readonly tools?: readonly Tool[] | undefined;
    readonly io?: Io | undefined;
}
export declare function castOf({ llmConfig, systemMessage, tools, io }: CastOptions): Cast;
