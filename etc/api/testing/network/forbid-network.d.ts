export interface ForbidNetworkOptions {
    readonly allow?: readonly string[] | undefined;
}
export interface ForbiddenNetwork extends Disposable {
    readonly attempts: readonly string[];
    assertUntouched(): void;
    restore(): void;
}
export declare function forbidNetwork({ allow }?: ForbidNetworkOptions): ForbiddenNetwork;
