export interface MetricSample {
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly value: number;
}
export interface Metric {
    readonly name: string;
    readonly help: string;
    readonly type: 'counter' | 'gauge';
    readonly samples: readonly MetricSample[];
}
export declare const exposition: (metrics: readonly Metric[]) => string;
export declare const shortLabel: (value: string) => string;
