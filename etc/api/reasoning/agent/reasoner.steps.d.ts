import type { EventBody, SearchEvent, SearchUsage } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { SearchJournal } from '../search/search-journal.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import type { ReasonPrompt } from './prompt.ts';
import type { Reasoner } from './reasoner.ts';
export interface RateNodeOptions {
    groundTruth?: string | null | undefined;
    isOutcome?: boolean | undefined;
}
export declare function rateNode(reasoner: Reasoner, node: ThinkNode, { groundTruth, isOutcome }: RateNodeOptions): Steps<number>;
export interface ChatConnections {
    readonly show: (event: SearchEvent) => EventBody | undefined;
    readonly journal?: SearchJournal | undefined;
    readonly credit?: ((used: SearchUsage) => void) | undefined;
}
export declare function answerBySearch(reasoner: Reasoner, { question, groundTruth }: ReasonPrompt, { show, journal, credit }: ChatConnections): Steps<string>;
