export { initiateChat } from './chat/chat.steps.ts';
export { stateOf } from './memory/state.ts';
export { operate, operateStream, operateSync } from './run/operate.ts';
export { generateReply } from './reply/generate-reply.steps.ts';
export { BUILT_IN } from './reply/reply-list.ts';
export { stepsReply } from './reply/steps-reply.ts';
export type { StepsReply } from './memory/reply-slot.ts';
export type { State } from './memory/state.ts';
