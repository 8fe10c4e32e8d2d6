export declare const MAX_INFERRED_CHARACTERS = 65536;
export declare function inferLang(code: string): string;
export declare function inferLangOfMessage(): (code: string) => string;
