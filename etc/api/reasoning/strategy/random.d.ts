export type Random = (place: string) => number;
export declare function hash(text: string): number;
export declare const seededRandom: (seed?: number) => Random;
