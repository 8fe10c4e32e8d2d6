import type { StepsReply } from '../memory/reply-slot.ts';
export declare function stepsReply(name: string, steps: StepsReply['steps'], { applies }?: Pick<StepsReply, 'applies'>): StepsReply;
export declare const isStepsReply: (reply: unknown) => reply is StepsReply;
