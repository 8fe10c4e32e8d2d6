export declare const questionOf: (puzzle: string | readonly number[]) => string;
export declare const numbersOf: (puzzle: string) => number[];
export declare const verifierOf: (puzzle: string) => ((answer: string) => boolean);
