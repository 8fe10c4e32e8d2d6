import type { CodeResult } from '@x/interfaces';
import { type EntryKind } from './risk-marks.ts';
export type Change = NonNullable<CodeResult['changes']>[number];
export type ApplyPolicy = 'safe' | 'all';
export interface ChangeRules {
    readonly apply: ApplyPolicy;
    readonly writable: readonly string[];
}
export interface FoundChange {
    readonly name: string;
    readonly kind: Change['kind'];
    readonly entry: EntryKind;
    readonly target?: string | undefined;
}
export declare const MAX_LISTED_CHANGES = 1000;
export declare const LEADS_OUT = "the link leads out of the directory";
export declare const IN_CONFLICT = "the original was changed meanwhile";
export declare const IN_THE_WAY = "something that stays is in its place, or its directory stays away";
export declare function judge({ name, kind, entry, target }: FoundChange, { apply, writable }: ChangeRules, isRepository: (directory: string) => boolean): Change;
export declare function guardedText(root: string, name: string, { apply, writable }: ChangeRules): string | null;
export declare function heldText(changes: readonly Change[]): string | null;
