import { type Drawable, type ViewOptions } from './view-tree.ts';
export declare function renderDot(drawable: Drawable, options?: ViewOptions): string;
