export interface Fingerprinted {
    readonly fingerprint?: string | undefined;
}
export interface FingerprintedPart extends Fingerprinted {
    readonly modelName?: string | undefined;
    readonly requestSettings?: (() => unknown) | undefined;
}
export declare function withFingerprint<T extends object>(value: T, name: string, settings: object): T & Fingerprinted;
