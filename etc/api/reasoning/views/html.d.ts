import type { SearchStatus, SearchUsage } from '@x/interfaces';
import type { ThinkNode } from '../tree/think-node.ts';
export interface HtmlViewOptions {
    best?: ThinkNode | null | undefined;
    answer?: string | null | undefined;
    status?: SearchStatus | undefined;
    used?: SearchUsage | undefined;
}
export declare function renderHtml(trees: readonly ThinkNode[], options?: HtmlViewOptions): string;
