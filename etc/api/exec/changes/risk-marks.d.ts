export interface RiskMark {
    readonly reason: string;
    readonly files?: readonly string[];
    readonly directories?: readonly string[];
    readonly isRoutine?: true;
}
export declare const RISK_MARKS: readonly RiskMark[];
export declare function plainName(name: string): string;
export type EntryKind = 'file' | 'directory' | 'link';
export declare function riskOf(path: string, entry: EntryKind, isRepository?: (directory: string) => boolean): RiskMark | undefined;
export declare function isNamed(path: string, names: readonly string[]): boolean;
