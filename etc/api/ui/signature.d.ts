import { type OptionKinds } from '@x/kernel/options';
export interface UiSigning {
    readonly secret?: string | Uint8Array | undefined;
    readonly scope?: string | undefined;
}
export declare const signingKinds: OptionKinds<UiSigning>;
export interface Signer {
    sign(approvalId: string): Promise<string>;
    verify(approvalId: string, signature: string): Promise<boolean>;
}
export declare function signerOf({ secret, scope }: UiSigning): Signer | null;
