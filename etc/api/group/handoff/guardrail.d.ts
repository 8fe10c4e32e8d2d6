import type { LlmConfig, MaybePromise, RunContext } from '@x/interfaces';
import { type Target } from './target.ts';
export interface GuardrailByModel {
    readonly condition: string;
    readonly llmConfig: LlmConfig;
}
export type GuardrailFunction<C> = (text: string, variables: Readonly<C>, context: RunContext) => MaybePromise<false | string>;
export interface Guardrail<C = Record<string, unknown>> {
    readonly name: string;
    readonly check: RegExp | GuardrailByModel | GuardrailFunction<C>;
    readonly to: Target<C>;
    readonly activationMessage?: string | undefined;
}
export declare function checkGuardrail(guardrail: Guardrail<never>, attempt: string): void;
