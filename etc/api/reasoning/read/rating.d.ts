export declare function readRating(reply: string, scale: number): number | null;
export declare const toReward: (rating: number, scale: number) => number;
