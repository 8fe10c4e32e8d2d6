export interface TimeSpan {
    readonly from: number;
    readonly to: number;
}
export declare class RunTexts {
    #private;
    constructor(recorded: TimeSpan, now: () => TimeSpan);
    areSame(recorded: string, now: string): boolean;
    areTimes(recorded: number, now: number): boolean;
}
