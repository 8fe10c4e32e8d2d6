export interface ForbidNetworkOptions {
    readonly allow?: readonly string[] | undefined;
}
export interface ForbiddenNetwork extends Disposable {
    readonly attempts: readonly string[];
    assertUntouched(): void;
    restore(): void;
}
export declare function forbidNetwork({ allow }?: ForbidNetworkOptions): ForbiddenNetwork;
export interface ConnectTarget {
    readonly host: string;
    readonly port: string;
}
export declare function connectTarget(args: readonly unknown[]): ConnectTarget | undefined;
export declare const isLoopback: (host: string) => boolean;
