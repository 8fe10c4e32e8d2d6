export declare function inferLang(code: string): string;
