import type { ChildProcess } from 'node:child_process';
import type { MaybePromise } from '@x/interfaces';
type Blow = 'SIGKILL' | 'SIGSTOP' | 'SIGTERM';
export interface ChaosOptions {
    readonly start: (worker: number) => ChildProcess;
    readonly workers: number;
    readonly isDone: () => MaybePromise<boolean>;
    readonly blows?: readonly Blow[] | undefined;
    readonly most?: number | undefined;
    readonly every?: number | undefined;
    readonly stopped?: number | undefined;
    readonly timeout?: number | undefined;
    readonly random: () => number;
}
export interface ChaosReport {
    readonly kills: number;
    readonly stops: number;
    readonly ends: number;
    readonly starts: number;
}
export declare function chaos(options: ChaosOptions): Promise<ChaosReport>;
export {};
