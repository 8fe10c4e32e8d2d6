export declare function readRating(reply: string, scale: number): number | null;
export declare const reward: (rating: number, scale: number) => number;
