export interface TimeSpan {
    readonly from: number;
    readonly to: number;
}
export declare class RunTexts {
    #private;
    hasFoundConstant: boolean;
    constructor(recorded: TimeSpan, now: () => TimeSpan, constants?: ReadonlyMap<string, string>);
    get counterparts(): ReadonlyMap<string, string>;
    areSame(recorded: string, now: string): boolean;
    areTimes(recorded: number, now: number): boolean;
}
export declare function placesOfDifference(one: string, other: string): readonly [number, number];
