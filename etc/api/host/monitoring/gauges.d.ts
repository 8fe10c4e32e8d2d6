import type { MaybePromise } from '@x/interfaces';
import type { Metric } from './exposition.ts';
export interface MetricGauge {
    readonly name: string;
    readonly help: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly read: () => MaybePromise<number>;
}
export declare class Gauges {
    #private;
    add(gauge: MetricGauge): () => void;
    read(): Promise<readonly Metric[]>;
}
