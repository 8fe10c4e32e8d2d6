import type { Budget, CacheStore, EventBody, MaybePromise, Run, RunOptions, RunScope, XEvent } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type WrapperParts } from './wrapper-parts.ts';
export declare class Reporter {
    #private;
    readonly run: Run | undefined;
    readonly scope: RunScope | undefined;
    spanId: string | null;
    constructor(parts: WrapperParts, options: Pick<RunOptions, 'run' | 'emit' | 'events'>);
    get budget(): Budget | undefined;
    get cache(): CacheStore | null;
    takes(type: XEvent['type']): boolean;
    report(event: EventBody): MaybePromise<void>;
}
export declare function sendWarning({ parts, reporter, agent, }: {
    readonly parts: WrapperParts;
    readonly reporter: Reporter;
    readonly agent: string | null;
}, topic: string, text: string): Steps<void, never>;
