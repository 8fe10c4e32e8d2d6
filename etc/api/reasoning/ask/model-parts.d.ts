import type { Model } from '@x/interfaces';
import type { Answerer, Grader, Proposer } from '../search/parts.ts';
export interface ModelPartsOptions {
    model: Model;
    grader?: Model | undefined;
    thinker?: Model | undefined;
    ratingScale?: number | undefined;
    groundTruth?: string | null | undefined;
    rateUpTo?: number | null | undefined;
    maxPromptLength?: number | undefined;
}
export declare function modelParts(options: ModelPartsOptions): {
    proposer: Proposer;
    grader: Grader;
    answerer: Answerer;
};
