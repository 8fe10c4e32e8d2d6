import type { AnswerDetails } from '@x/interfaces';
export type ChoiceDetails = Omit<AnswerDetails, 'reasoning'>;
type OpenDetails = {
    -readonly [K in keyof ChoiceDetails]: ChoiceDetails[K];
};
export declare function addDetails(open: OpenDetails, more: ChoiceDetails): void;
export {};
