import type { Model, ModelResponse } from '@x/interfaces';
import type { Grader } from '../search/parts.ts';
export interface ModelGraderOptions {
    model: Model;
    note?: ((response: ModelResponse) => void) | undefined;
    name?: string | undefined;
    ratingScale?: number | undefined;
    groundTruth?: string | null | undefined;
    maxPromptLength?: number | undefined;
}
export declare function modelGrader(options: ModelGraderOptions): Grader;
