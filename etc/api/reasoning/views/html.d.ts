import type { SearchStatus, SearchUsage, XEvent } from '@x/interfaces';
import { type Drawable, type ViewOptions } from './view-tree.ts';
export interface HtmlViewOptions extends ViewOptions {
    status?: SearchStatus | undefined;
    used?: SearchUsage | undefined;
    events?: readonly XEvent[] | undefined;
    title?: string | undefined;
    beside?: HtmlRun | undefined;
}
export interface HtmlRun extends Omit<HtmlViewOptions, 'beside'> {
    readonly run: Drawable;
}
export declare function renderHtml(drawable: Drawable, options?: HtmlViewOptions): string;
