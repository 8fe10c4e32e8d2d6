import type { ConfigEntry, ModelParams, Provider } from '@x/interfaces';
export interface Endpoint {
    readonly provider: string;
    readonly baseUrl: string | undefined;
    readonly apiVersion: string | undefined;
    readonly more?: Readonly<Record<string, unknown>> | undefined;
}
export declare function endpointOf(client: Readonly<ConfigEntry>, provider: Provider | null): Endpoint;
export declare class KeyMaker {
    #private;
    keyOf(params: ModelParams, endpoint: Endpoint, sample: number | undefined, fixed?: boolean): string;
}
export declare function isDeeplyFrozen(value: unknown): boolean;
