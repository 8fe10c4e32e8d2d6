import type { Budget, Journal } from '@x/interfaces';
export interface ChatMeans {
    readonly budget?: Budget | undefined;
    readonly journal?: Journal | undefined;
    readonly runId?: string | undefined;
    readonly version?: string | undefined;
}
