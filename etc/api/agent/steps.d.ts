export { kept, placeOf, type Place } from './resume/leaf.steps.ts';
export { generateReply } from './reply/generate-reply.steps.ts';
export { BUILT_IN } from './reply/reply-list.ts';
export { askModel, unrolled, type Question } from './reply/model-reply.steps.ts';
export { executeCodeBlocks, generateCodeExecutionReply } from './reply/code.steps.ts';
export { initiateChat } from './chat/chat.steps.ts';
export { stateOf, type Conversation, type State } from './state/state.ts';
export { stepsReply, type StepsReply } from './reply/steps-reply.ts';
