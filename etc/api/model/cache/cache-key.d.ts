import type { ConfigEntry, ModelParams, Provider } from '@x/interfaces';
export interface Respondent {
    readonly provider: string;
    readonly baseUrl: string | undefined;
    readonly apiVersion: string | undefined;
    readonly more?: Readonly<Record<string, unknown>> | undefined;
}
export declare function respondentOf(client: Readonly<ConfigEntry>, provider: Provider | null): Respondent;
export interface KeyMaker {
    keyOf(params: ModelParams, respondent: Respondent, sample: number | undefined, fixed?: boolean): string;
}
export declare function createKeyMaker(): KeyMaker;
