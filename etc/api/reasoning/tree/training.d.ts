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
export interface TrainingOptions {
    by?: 'value' | 'outcome' | undefined;
    verifiedOnly?: boolean | undefined;
}
export interface PreferenceOptions extends TrainingOptions {
    contrastiveThreshold?: number | undefined;
}
export declare function extractSftDataset(root: ThinkNode, options?: TrainingOptions): SftRow[];
export declare function extractRlhfPreferenceDataset(root: ThinkNode, options?: number | PreferenceOptions): PreferenceRow[];
export declare function extractStepLabels(root: ThinkNode, options?: TrainingOptions): StepRow[];
