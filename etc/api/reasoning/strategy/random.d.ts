export type Random = (position: string) => number;
export declare function hash(text: string): number;
export declare const checkedRandom: (random: Random) => Random;
export declare const seededRandom: (seed?: number) => Random;
