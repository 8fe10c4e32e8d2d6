import type { ConfigEntry } from '@x/interfaces';
export interface ConfigListOptions {
    readonly fileLocation?: string | undefined;
    readonly filterDict?: Readonly<Record<string, readonly unknown[]>> | undefined;
    readonly clientKeys?: readonly string[] | undefined;
    readonly env?: Readonly<Record<string, string | undefined>> | undefined;
    readonly readFile?: ((path: string) => string) | undefined;
}
export declare function configListFromJson(envOrFile: string, options?: ConfigListOptions): ConfigEntry[];
