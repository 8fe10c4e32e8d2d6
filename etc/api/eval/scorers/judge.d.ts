import type { LlmConfig, Model } from '@x/interfaces';
import type { LabelledAnswer, Scorer } from '../task.ts';
export interface JudgeOptions {
    readonly model: LlmConfig | Model;
    readonly rubric?: string | undefined;
    readonly title?: string | undefined;
    readonly repeats?: number | undefined;
    readonly labelled?: readonly LabelledAnswer[] | undefined;
}
export declare function judge(options: JudgeOptions): Scorer;
export declare function readVerdict(reply: string): {
    readonly isRight: boolean;
    readonly reason: string;
} | null;
