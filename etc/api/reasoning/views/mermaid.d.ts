import type { ThinkNode } from '../tree/think-node.ts';
export declare function renderMermaid(root: ThinkNode, options?: {
    best?: ThinkNode | null | undefined;
}): string;
