import { type RunTexts } from './normalize.ts';
export interface RunDifference {
    readonly place: string;
    readonly agentPath: readonly string[];
    readonly path: string;
    readonly recorded: unknown;
    readonly now: unknown;
}
interface PartDifference {
    readonly path: string;
    readonly recorded: unknown;
    readonly now: unknown;
}
export type MayDiffer = (path: string) => boolean;
export declare function firstDifference(recorded: unknown, now: unknown, { path, texts, mayDiffer }: {
    readonly path: string;
    readonly texts: RunTexts;
    readonly mayDiffer: MayDiffer;
}): PartDifference | null;
export declare function viewAsIn(recorded: unknown, now: unknown): unknown;
export declare function pathsOf(patterns: readonly string[]): MayDiffer;
export declare function describeDifference({ place, agentPath, path, recorded, now }: RunDifference): string;
export declare function shown(value: unknown): string;
export {};
