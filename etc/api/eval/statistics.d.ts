export interface Interval {
    readonly value: number;
    readonly low: number;
    readonly high: number;
    readonly method: 'wilson' | 'newcombe' | 'bootstrap';
    readonly n: number;
}
export declare function randomFrom(seed: number): () => number;
export declare function seedOf(text: string): number;
export declare const meanOf: (values: readonly number[]) => number;
export declare function wilson(right: number, n: number): Interval;
export declare function bootstrap<T>(observations: readonly T[], statistic: (sample: readonly T[]) => number, seed: number): Interval;
export declare function intervalOf(scores: readonly number[], seed: number): Interval | null;
export declare function differenceOf(pairs: readonly (readonly [number, number])[], seed: number): Interval | null;
export declare function signTest(wins: number, losses: number): number;
export declare function kappaOf(pairs: readonly (readonly [boolean, boolean])[]): number;
export declare const kappaIntervalOf: (pairs: readonly (readonly [boolean, boolean])[], seed: number) => Interval;
