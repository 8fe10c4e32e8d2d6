export interface ModelLimits {
    readonly contextWindow?: number | undefined;
    readonly maxOutput?: number | undefined;
}
