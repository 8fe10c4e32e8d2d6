export interface Fingerprinted {
    readonly fingerprint?: string | undefined;
}
export interface FingerprintedPart extends Fingerprinted {
    readonly modelName?: string | undefined;
    readonly requestSettings?: (() => unknown) | undefined;
}
declare const SETTINGS: unique symbol;
export declare function withFingerprint<T extends object>(value: T, name: string, settings: object, told?: unknown): T & Fingerprinted;
export declare const withSettings: <T extends object>(value: T, told: unknown) => T;
export declare const settingsOf: (value: (object & {
    readonly [SETTINGS]?: unknown;
}) | undefined) => unknown;
export {};
