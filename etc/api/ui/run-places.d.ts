import type { XEvent } from '@x/interfaces';
import { EventFold } from '@x/kernel/events';
import type { UiError } from './ui-message-chunk.ts';
export type Place = {
    readonly level: 'main';
} | {
    readonly level: 'agent';
    readonly owner: string;
    readonly agent: string;
    readonly tool: string | null;
} | {
    readonly level: 'hidden';
};
interface RunEnd {
    readonly outcome: string;
    readonly error: UiError | null;
    readonly terminationReason: string | null;
}
export declare const STOPPED: UiError;
export declare class RunPlaces {
    #private;
    readonly fold: EventFold;
    add(event: XEvent): void;
    get isWaiting(): boolean;
    get isSound(): boolean;
    endWith(error: UiError | null): RunEnd & {
        readonly error: UiError;
    };
    placeIn(spanId: string | null): Place;
    isSpoken({ parentId }: {
        readonly parentId: string | null;
    }): boolean;
    isUntold({ id, agent, parentId }: Extract<XEvent, {
        type: 'replyEnd';
    }>): boolean;
}
export {};
