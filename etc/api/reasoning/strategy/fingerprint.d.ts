export interface Fingerprinted {
    readonly fingerprint?: string | undefined;
}
export declare function withFingerprint<T extends object>(value: T, name: string, settings: object): T & Fingerprinted;
