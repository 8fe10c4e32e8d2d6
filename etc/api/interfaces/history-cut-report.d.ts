export interface HistoryCutReport {
    readonly reason: 'tokens' | 'messages' | 'overflow';
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly leftOut: number;
    readonly summarized: number;
    readonly cleared: number;
    readonly shortened: number;
}
