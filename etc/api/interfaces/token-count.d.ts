export interface TokenCount {
    readonly promptTokens: number;
    readonly model: string;
    readonly configId: number;
}
