export declare function ballot(text: string): string;
export declare function majority(texts: readonly string[], normalize?: (text: string) => string): {
    index: number;
    votes: number;
};
