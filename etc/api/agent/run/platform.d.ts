export declare const platformNow: () => number;
export declare const newRunId: () => string;
export declare const platformRandom: () => number;
export declare const firstSeqOfLaterProcess: () => number;
