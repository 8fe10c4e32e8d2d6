export interface SharedVariables<C extends object = Record<string, unknown>> {
    get<K extends keyof C>(key: K): C[K];
    set<K extends keyof C>(key: K, value: C[K]): void;
    update(changes: Partial<C>): void;
    remove(key: keyof C): boolean;
    toJSON(): C;
}
