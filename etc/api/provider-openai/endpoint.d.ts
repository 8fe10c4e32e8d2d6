import type { ConfigEntry } from '@x/interfaces';
import { type LoweredRequest } from '@x/provider-kit';
export type Environment = Readonly<Record<string, string | undefined>>;
export interface Endpoint {
    readonly root: string;
    readonly search: string;
    readonly deploymentVersion: string | undefined;
    url(request: LoweredRequest): string;
    headers(): Record<string, string> | Promise<Record<string, string>>;
    readonly redirects: boolean;
    readonly secrets: ReadonlySet<string>;
}
export declare function createEndpoint(config: ConfigEntry, env: Environment, userAgent?: string | null): Endpoint;
export declare function pathOf({ body, operation }: LoweredRequest): string;
export declare function endpointUrl({ apiType, baseUrl }: ConfigEntry, env: Environment): string;
export declare function keyVariablesOf({ apiKey, apiType, baseUrl }: ConfigEntry): readonly string[];
