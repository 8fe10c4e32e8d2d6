import type { ModelParams } from '@x/interfaces';
export interface Respondent {
    readonly provider: string;
    readonly baseUrl: string | undefined;
    readonly apiVersion: string | undefined;
}
export interface KeyMaker {
    keyOf(params: ModelParams, respondent: Respondent, sample: number | undefined): string;
}
export declare function createKeyMaker(): KeyMaker;
