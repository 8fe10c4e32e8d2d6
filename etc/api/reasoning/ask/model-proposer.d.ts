import type { Model, ModelResponse } from '@x/interfaces';
import type { Proposer } from '../search/parts.ts';
export interface ModelProposerOptions {
    model: Model;
    note?: ((response: ModelResponse) => void) | undefined;
    name?: string | undefined;
    systemMessage?: string | undefined;
    rateUpTo?: number | null | undefined;
    maxPromptLength?: number | undefined;
}
export declare function modelProposer(options: ModelProposerOptions): Proposer;
