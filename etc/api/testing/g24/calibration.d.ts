export type Chances = readonly [sure: number, likely: number, impossible: number];
export interface Calibration {
    readonly options: Readonly<Record<number, number>>;
    readonly fixedOptions: number | null;
    readonly goodWeight: Readonly<Record<number, number>>;
    readonly illegal: Readonly<Record<number, number>>;
    readonly rareWeight: number;
    readonly grade: Readonly<Record<number, {
        readonly reachable: Chances;
        readonly hopeless: Chances;
    }>>;
    readonly outcome: {
        readonly right: Chances;
        readonly wrong: Chances;
    };
    readonly agreement: number;
    readonly chainGood: Readonly<Record<number, number>>;
    readonly spread: {
        readonly proposal: number;
        readonly chain: number;
    };
    readonly slip: {
        readonly answer: number;
        readonly chain: number;
    };
    readonly detect: number;
    readonly avoid: number;
    readonly noise: {
        readonly style: number;
        readonly grade: number;
        readonly proposal: number;
    };
}
export declare const GPT4: Calibration;
