import type { ChatMessage, ModelAnswer, ModelCallOptions, ModelClient, ModelParams, Usage } from '@x/interfaces';
import { type StandInSettings } from './stand-in.ts';
export interface StandInOptions extends StandInSettings {
    model?: string | undefined;
}
export declare class StandInClient implements ModelClient {
    #private;
    constructor(options?: StandInOptions);
    create({ messages }: ModelParams, { sample }?: ModelCallOptions): ModelAnswer;
    messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[];
    getUsage({ usage }: ModelAnswer): Usage;
    cost(): number;
}
