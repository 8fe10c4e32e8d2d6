export interface ThinkNodeData {
    content: string;
    value: number;
    depth: number;
    reflection: string;
    rating_details: string;
    output: string | null;
    visits: number;
    children: ThinkNodeData[];
}
export type NodeFate = 'open' | 'expanded' | 'pruned' | 'final' | 'failed' | 'answer';
export interface ThinkNodeOptions {
    content: string;
    parent?: ThinkNode | null | undefined;
    id?: string | undefined;
}
export declare class ThinkNode {
    readonly id: string;
    readonly parent: ThinkNode | null;
    readonly children: ThinkNode[];
    depth: number;
    content: string;
    value: number;
    visits: number;
    reflection: string;
    ratingDetails: string;
    output: string | null;
    grade: number | null;
    isVerified: boolean | null;
    fate: NodeFate;
    constructor({ content, parent, id }: ThinkNodeOptions);
    get path(): ThinkNode[];
    get steps(): string;
    get trajectory(): string;
    backpropagate(reward: number): void;
    walk(): Generator<ThinkNode, void, undefined>;
    toString(): string;
    toDict(): ThinkNodeData;
    toJSON(): ThinkNodeData;
    static fromDict(data: unknown, parent?: ThinkNode | null): ThinkNode;
}
