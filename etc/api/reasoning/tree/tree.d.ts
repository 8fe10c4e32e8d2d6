import { ThinkNode, type NodeFate } from './think-node.ts';
export type TreeChange = {
    type: 'add' | 'grade' | 'fate';
    node: ThinkNode;
};
export declare class Tree {
    #private;
    readonly root: ThinkNode;
    constructor({ question, id }: {
        question: string;
        id: string;
    });
    get size(): number;
    add(parent: ThinkNode, content: string, id?: string): ThinkNode;
    grade(node: ThinkNode, grade: number | null, details: string): void;
    verify(node: ThinkNode, { accepted, score, reason }: {
        accepted: boolean;
        score: number;
        reason: string | null;
    }): void;
    mark(fate: NodeFate, ...nodes: readonly ThinkNode[]): void;
    cut(node: ThinkNode, keep: (child: ThinkNode) => boolean): void;
    takeChanges(): readonly TreeChange[];
}
export declare const toGrade: (value: number) => number | null;
