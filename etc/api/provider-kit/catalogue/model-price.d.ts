import type { TokenRates } from '@x/interfaces';
export interface ModelPrice extends TokenRates {
    readonly long?: (Partial<TokenRates> & {
        readonly above: number;
    }) | undefined;
    readonly tiers?: Readonly<Record<string, number | TierRates>> | undefined;
}
export interface TierRates extends Partial<TokenRates> {
    readonly long?: (Partial<TokenRates> & {
        readonly above: number;
    }) | undefined;
}
