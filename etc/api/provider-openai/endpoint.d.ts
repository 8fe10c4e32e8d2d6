import type { ConfigEntry } from '@x/interfaces';
import { type LoweredRequest } from '@x/provider-kit';
export type Environment = Readonly<Record<string, string | undefined>>;
export interface Endpoint {
    url(request: LoweredRequest): string;
    headers(): Record<string, string> | Promise<Record<string, string>>;
    readonly redirects: boolean;
    readonly secrets: ReadonlySet<string>;
}
export declare function createEndpoint(config: ConfigEntry, env: Environment): Endpoint;
export declare function endpointUrl({ apiType, baseUrl }: ConfigEntry, env: Environment): string;
export declare function keyVariablesOf({ apiKey, apiType, baseUrl }: ConfigEntry): readonly string[];
