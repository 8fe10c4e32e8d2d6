import type { Model, SearchBeliefs } from '@x/interfaces';
import type { ModelCaller } from '../ask/ask-model.ts';
import type { Grader } from '../search/parts.ts';
import type { SearchParts } from '../search/search-options.ts';
import type { Random } from '../strategy/random.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import { InternalAgent } from './internal-agent.ts';
import { type ReasonSettings } from './settings.ts';
import { type RunCode } from './with-execution.ts';
export interface ReasonerOptions {
    settings: ReasonSettings;
    answerer: () => ModelCaller;
    models: {
        readonly thinker: () => Model;
        readonly grader: () => Model;
    };
    runCode?: RunCode | undefined;
    random?: Random | undefined;
}
export declare class Reasoner {
    #private;
    readonly settings: ReasonSettings;
    readonly thinker: InternalAgent;
    readonly grader: InternalAgent;
    root: ThinkNode | null;
    beliefs: SearchBeliefs | null;
    constructor(options: ReasonerOptions);
    get lessons(): string | null;
    partsFor(groundTruth: string | null): SearchParts;
    answererAs(name: string): ModelCaller;
    graderFor(groundTruth: string | null): Grader;
}
