import type { SearchStatus, SearchUsage, XEvent } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { ThinkNode } from '../tree/think-node.ts';
export interface SearchView {
    readonly trees: readonly ThinkNode[];
    readonly node?: ThinkNode | null | undefined;
    readonly answer?: string | null | undefined;
    readonly status?: SearchStatus | undefined;
    readonly used?: SearchUsage | undefined;
}
export type Drawable = ThinkNode | readonly ThinkNode[] | SearchView;
export interface ViewOptions {
    best?: ThinkNode | null | undefined;
    answer?: string | null | undefined;
}
export declare const VIEW_KINDS: OptionKinds<ViewOptions>;
export interface ViewNode {
    readonly id: string;
    readonly isRoot: boolean;
    readonly content: string;
    readonly worth: number | null;
    readonly grade: number | null;
    readonly value: number;
    readonly visits: number;
    readonly details: string;
    readonly reflection: string;
    readonly output: string | null;
    readonly fate: string;
    readonly isBest: boolean;
    readonly children: ViewNode[];
}
export declare function toViewTrees(drawable: Drawable, options?: ViewOptions): ViewNode[];
export declare function toSearchView(drawable: Drawable): SearchView;
export declare function walkView(root: ViewNode): Generator<{
    node: ViewNode;
    parent: ViewNode | null;
}, void, undefined>;
export declare function usageByNode(events: readonly XEvent[]): ReadonlyMap<string, {
    calls: number;
    tokens: number;
}>;
