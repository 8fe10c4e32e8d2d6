import type { CodeExecutor, CodeResult } from '@x/interfaces';
import { type EntryKind, type RiskMark } from './risk-marks.ts';
export type Change = NonNullable<CodeResult['changes']>[number];
export type CodeExecutionOptions = NonNullable<Parameters<CodeExecutor['executeCodeBlocks']>[1]>;
export type ChooseChanges = NonNullable<CodeExecutionOptions['chooseChanges']>;
export type Choice = Awaited<ReturnType<ChooseChanges>>;
export type ApplyPolicy = 'safe' | 'all' | 'unasked';
export interface ChangeRules {
    readonly apply: ApplyPolicy;
    readonly writable: readonly string[];
}
export interface FoundChange {
    readonly name: string;
    readonly kind: Change['kind'];
    readonly entry: EntryKind;
    readonly target?: string | undefined;
    readonly was?: EntryKind | undefined;
}
export interface Proposal {
    readonly id: number;
    readonly changes: readonly Change[];
    readonly diff: string;
}
export declare const MAX_LISTED_CHANGES = 1000;
export declare const MAX_PROPOSALS = 16;
export declare const LEADS_OUT = "the link leads out of the directory";
export declare const IN_CONFLICT = "the original was changed meanwhile";
export declare const IN_THE_WAY = "something that stays is in its place, or its directory stays away";
export declare const DIRECTORY_GONE = "the directory is gone";
export declare const CHANGED_SINCE = "it was changed again after it was shown";
export interface DirectoryFacts {
    readonly isRepository: (directory: string) => boolean;
    readonly markedPlace: (path: string) => RiskMark | undefined;
}
export declare function directoryFacts(root: string, names: () => Iterable<string>, links: () => Iterable<string>): DirectoryFacts;
export declare class ChangeJudge {
    #private;
    constructor(rules: ChangeRules, facts: DirectoryFacts, choice?: Choice);
    judge({ name, kind, entry, target, was }: FoundChange): Change;
}
export declare function partByChoice<T extends {
    readonly change: FoundChange;
}>(found: readonly T[], rules: ChangeRules, facts: DirectoryFacts): {
    readonly open: readonly {
        readonly one: T;
        readonly change: Change;
    }[];
    readonly rest: readonly T[];
};
