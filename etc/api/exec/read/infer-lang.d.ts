export declare const MOST_INFERRED = 65536;
export declare function inferLang(code: string): string;
export declare function inferenceOfMessage(): (code: string) => string;
