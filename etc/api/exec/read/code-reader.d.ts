import type { CodeReader } from '@x/interfaces';
export type Reading = 'fenced' | 'reference' | 'reference-legacy';
export interface CodeReaderOptions {
    readonly reading?: Reading | undefined;
    readonly inferLang?: ((code: string) => string) | undefined;
}
export declare function codeReader({ reading, inferLang: infer }?: CodeReaderOptions): CodeReader;
