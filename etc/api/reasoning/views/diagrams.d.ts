import { type Drawable, type ViewOptions } from './view-tree.ts';
export declare function renderDot(drawable: Drawable, options?: ViewOptions): string;
export declare function renderMermaid(drawable: Drawable, options?: ViewOptions): string;
