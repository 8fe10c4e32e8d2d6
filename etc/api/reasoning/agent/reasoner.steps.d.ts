import type { SearchUsage } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ToldResult } from '../search/search-events.steps.ts';
import { type SearchCall } from '../search/search.steps.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import type { ReasonPrompt } from './prompt.ts';
import type { Reasoner } from './reasoner.ts';
export interface RateNodeOptions {
    groundTruth?: string | null | undefined;
    isOutcome?: boolean | undefined;
}
export declare function rateNode(reasoner: Reasoner, node: ThinkNode, { groundTruth, isOutcome }: RateNodeOptions): Steps<number>;
export interface ChatConnections extends SearchCall {
    readonly credit: (used: SearchUsage) => void;
}
export declare function answerBySearch(reasoner: Reasoner, { question, groundTruth }: ReasonPrompt, { credit, ...call }: ChatConnections): Steps<ToldResult & {
    readonly answer: string;
}>;
