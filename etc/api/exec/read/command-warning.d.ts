export declare function commandWarning(code: string): string | null;
