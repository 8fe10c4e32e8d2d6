import type { Model } from '@x/interfaces';
import type { Answerer } from '../search/parts.ts';
export interface ModelAnswererOptions {
    model: Model;
    name?: string | undefined;
    systemMessage?: string | undefined;
    maxPromptLength?: number | undefined;
}
export declare function modelAnswerer(options: ModelAnswererOptions): Answerer;
