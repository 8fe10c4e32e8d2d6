import type { ChatMessage } from '@x/interfaces';
import { type Rational } from './rational.ts';
export interface WrittenStep {
    readonly op: string;
    readonly a: Rational | null;
    readonly b: Rational | null;
    readonly left: readonly Rational[];
}
export interface Prompt {
    readonly role: 'thinker' | 'grader' | 'grader-of-several' | 'judge' | 'answerer' | 'merger' | 'chain';
    readonly system: string;
    readonly user: string;
    readonly scale: number;
    readonly rates: boolean;
    readonly numbers: readonly number[];
    readonly steps: readonly WrittenStep[];
    readonly left: readonly Rational[];
    readonly paths: readonly (readonly WrittenStep[])[];
    readonly answers: readonly string[];
    readonly options: readonly WrittenStep[];
    readonly tries: readonly {
        readonly steps: readonly WrittenStep[];
        readonly rating: number | null;
    }[];
}
export declare function readPrompt(messages: readonly ChatMessage[]): Prompt;
export declare function stepsIn(text: string): WrittenStep[];
export declare function composed(numbers: readonly number[], steps: readonly WrittenStep[]): {
    value: Rational;
    expression: string;
} | null;
