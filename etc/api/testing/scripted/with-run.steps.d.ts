import type { Budget, Run } from '@x/interfaces';
export declare function withRun<T>({ budget }: {
    readonly budget?: Budget | null | undefined;
}, use: (run: Run) => Promise<T>): Promise<T>;
