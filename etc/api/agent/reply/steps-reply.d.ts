import type { StepsReply } from '../options/operations.ts';
export declare function stepsReply(name: string, steps: StepsReply['steps'], { applies }?: Pick<StepsReply, 'applies'>): StepsReply;
export declare const isStepsReply: (reply: unknown) => reply is StepsReply;
