import type { ActionToApprove } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
export interface UiSigning {
    readonly secret?: string | Uint8Array | undefined;
    readonly scope?: string | undefined;
}
export declare const signingKinds: OptionKinds<UiSigning>;
export type Sign = (approvalId: string, action: ActionToApprove) => Promise<string>;
export type Verify = (approvalId: string, signature: string) => Promise<string | null>;
export declare function signerOf(signing: UiSigning): Sign | null;
export declare function verifierOf(signing: UiSigning): Verify | null;
export declare function digestOf(action: ActionToApprove): Promise<string>;
