export declare function quietPip(code: string, language: string): string;
