import type { SearchEvent, XEvent } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { Journal } from '../search/search-journal.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import type { AskedQuestion } from './question.ts';
import type { Reasoner } from './reasoner.ts';
export interface RateNodeOptions {
    groundTruth?: string | null | undefined;
    isOutcome?: boolean | undefined;
}
export declare function rateNode(reasoner: Reasoner, node: ThinkNode, { groundTruth, isOutcome }: RateNodeOptions): Steps<number>;
export interface Answering {
    readonly show: (event: SearchEvent) => XEvent | undefined;
    readonly journal?: Journal | undefined;
}
export declare function answerBySearch(reasoner: Reasoner, { prompt, groundTruth }: AskedQuestion, { show, journal }: Answering): Steps<string>;
