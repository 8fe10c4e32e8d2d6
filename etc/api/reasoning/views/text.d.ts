import type { ThinkNode } from '../tree/think-node.ts';
export interface TextViewOptions {
    best?: ThinkNode | null | undefined;
    width?: number | undefined;
    color?: boolean | undefined;
}
export declare function renderText(root: ThinkNode, options?: TextViewOptions): string;
