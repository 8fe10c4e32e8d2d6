import type { OptionKinds } from './option-kind.ts';
export declare function checkOptions<O>(options: unknown, kinds: OptionKinds<O>, what: string, of?: string): void;
