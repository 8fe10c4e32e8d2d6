import type { GroupPattern, PatternOptions } from './pattern.ts';
export declare const defaultPattern: <C extends object = Record<string, unknown>>(options: PatternOptions<C>) => GroupPattern<C>;
type AutoOptions<C extends object> = Omit<PatternOptions<C>, 'groupAfterWork'> & {
    readonly selectionMessage?: string | undefined;
};
export declare const autoPattern: <C extends object = Record<string, unknown>>({ selectionMessage, ...options }: AutoOptions<C>) => GroupPattern<C>;
export declare const roundRobinPattern: <C extends object = Record<string, unknown>>(options: Omit<PatternOptions<C>, 'groupAfterWork'>) => GroupPattern<C>;
export declare const randomPattern: <C extends object = Record<string, unknown>>(options: Omit<PatternOptions<C>, 'groupAfterWork'>) => GroupPattern<C>;
export declare const manualPattern: <C extends object = Record<string, unknown>>(options: Omit<PatternOptions<C>, 'groupAfterWork'>) => GroupPattern<C>;
export {};
