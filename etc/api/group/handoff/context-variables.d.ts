import type { SharedVariables } from '@x/interfaces';
export declare class ContextVariables<C extends object = Record<string, unknown>> implements SharedVariables<C> {
    readonly '~values': unknown;
    constructor(initial?: C);
    get<K extends keyof C>(key: K): C[K];
    set<K extends keyof C>(key: K, value: C[K]): void;
    update(changes: Partial<C>): void;
    remove(key: keyof C): boolean;
    toJSON(): C;
}
export declare const valuesOf: (variables: object) => Map<string, unknown>;
