export { generateReply, initiateChat } from './agent/agent-operations.steps.ts';
export { internalsOf } from './memory/agent-internals.ts';
export { operate, operateStream, operateSync } from './run/operate.ts';
export { BUILT_IN } from './reply/reply-identity.ts';
export { stepsReply } from './reply/steps-reply.ts';
export type { StepsReply } from './options/reply-options.ts';
