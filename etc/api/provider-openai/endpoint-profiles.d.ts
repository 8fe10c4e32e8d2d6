import type { ConfigEntry } from '@x/interfaces';
import type { Dialect } from '@x/provider-kit';
export type FailureRules = NonNullable<Dialect['failureRules']>;
export interface EndpointProfile {
    readonly messageNames: 'all' | 'user' | 'none';
    readonly callIdLength: 9 | 'any';
    readonly limitKey: 'max_tokens' | 'max_completion_tokens' | 'by-model';
    readonly reasoning: ReasoningForm;
    readonly missingReasoning: string | undefined;
    readonly systemRole: 'system' | 'by-model';
    readonly streamUsage: boolean;
    readonly thinkTags: boolean;
    readonly roleOrder: 'any' | 'answer-after-tool' | 'alternating';
    readonly refusedParams: readonly string[];
    readonly failureRules: FailureRules;
}
export type ReasoningForm = (typeof REASONING_FORMS)[number];
export declare const REASONING_FORMS: readonly ['none', 'signed', 'reasoning_content', 'reasoning_content-with-tools', 'reasoning_details', 'thinking-parts', 'thought-signatures'];
export interface EndpointRow extends EndpointProfile {
    readonly hosts: readonly string[];
    readonly port?: string | undefined;
}
export type EndpointName = 'openai' | 'azure' | 'groq' | 'mistral' | 'deepseek' | 'moonshot' | 'openrouter' | 'xai' | 'together' | 'fireworks' | 'cerebras' | 'perplexity' | 'ollama' | 'vllm' | 'lmstudio' | 'gemini' | 'snowflake' | 'compatible';
export declare const ENDPOINTS: Readonly<Record<EndpointName, EndpointRow>>;
export interface EndpointOverrides extends Partial<EndpointProfile> {
    readonly extends?: EndpointName | undefined;
}
export interface NamedProfile extends EndpointProfile {
    readonly name: EndpointName;
}
export declare function profileOf(config: ConfigEntry, endpointProfile: EndpointName | EndpointOverrides | undefined, defaultUrl?: string): NamedProfile;
