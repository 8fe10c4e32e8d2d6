import { type Drawable, type ViewOptions } from './view-tree.ts';
export interface TextViewOptions extends ViewOptions {
    width?: number | undefined;
    color?: boolean | undefined;
}
export declare const DEFAULT_WIDTH_COLUMNS = 100;
export declare function renderText(drawable: Drawable, options?: TextViewOptions): string;
