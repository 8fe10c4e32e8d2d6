export { kept, placeOf, type Place } from './leaf.steps.ts';
export { generateReply } from './generate-reply.steps.ts';
export { BUILT_IN } from './reply-list.ts';
export { askModel, unrolled, type Question } from './model-reply.steps.ts';
export { executeCodeBlocks, generateCodeExecutionReply } from './code.steps.ts';
export { initiateChat } from './chat.steps.ts';
export { stateOf, type Conversation, type State } from './state.ts';
export { stepsReply, type StepsReply } from './steps-reply.ts';
