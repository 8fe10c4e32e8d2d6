import type { CodeReader } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
export type Reading = 'fenced' | 'reference' | 'reference-legacy';
export interface CodeReaderOptions {
    readonly reading?: Reading | undefined;
    readonly inferLang?: ((code: string) => string) | undefined;
}
export declare const KINDS: OptionKinds<CodeReaderOptions>;
export declare function codeReader(options?: CodeReaderOptions): CodeReader;
