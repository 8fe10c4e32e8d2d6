import type { ThinkNode } from './think-node.ts';
export interface SftRow {
    instruction: string;
    response: string;
    value: number;
    node: string;
}
export interface PreferenceRow {
    instruction: string;
    reflection: string;
    preferred_response: string;
    dispreferred_response: string;
    margin: number;
}
export interface StepRow {
    question: string;
    steps: string[];
    label: number;
    source: 'visits' | 'outcome' | 'grade';
}
export declare function extractSftDataset(root: ThinkNode): SftRow[];
export declare function extractRlhfPreferenceDataset(root: ThinkNode, contrastiveThreshold?: number): PreferenceRow[];
export declare function extractStepLabels(root: ThinkNode): StepRow[];
export declare const toJsonLines: (rows: readonly object[]) => string;
