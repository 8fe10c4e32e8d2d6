import type { Budget, ChatOptions, Journal } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../state/state.ts';
type ChatWishes = Omit<ChatOptions, 'signal' | 'emit'>;
export interface ChatMeans {
    readonly budget?: Budget | undefined;
    readonly journal?: Journal | undefined;
}
export declare function inChat<T>({ budget, journal }: ChatMeans, steps: Steps<T>, place?: string): Steps<T>;
export declare function inRun<T>({ budget, journal }: ChatMeans, steps: Steps<T>): Steps<T>;
export declare function entered(sides: readonly [State, State], wishes: ChatWishes): Steps<void>;
export {};
