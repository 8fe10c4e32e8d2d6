export interface TokenRates {
    readonly input: number;
    readonly output: number;
    readonly cached?: number | undefined;
    readonly cacheWrite?: number | undefined;
    readonly cacheWriteHour?: number | undefined;
    readonly audioInput?: number | undefined;
    readonly cachedAudio?: number | undefined;
    readonly audioOutput?: number | undefined;
    readonly imageInput?: number | undefined;
    readonly imageOutput?: number | undefined;
    readonly searches?: number | undefined;
}
