import type { ThinkNode } from '../think-node.ts';
export declare function renderDot(root: ThinkNode, { best }?: {
    best?: ThinkNode | null | undefined;
}): string;
