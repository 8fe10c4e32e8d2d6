import type { ConfigEntry, ModelRef, Provider } from '@x/interfaces';
type RefOptions<Entry extends ConfigEntry> = {
    [Key in keyof Entry as string extends Key ? never : Exclude<Key, 'messages' | 'model'>]: Entry[Key];
};
type NamingProvider<Entry extends ConfigEntry> = Provider & ((model: string, options?: RefOptions<Entry>) => ModelRef);
export declare function withModelRefs<Entry extends ConfigEntry>(provider: Provider, keyVariablesOf: (entry: ConfigEntry) => readonly string[]): NamingProvider<Entry>;
export {};
