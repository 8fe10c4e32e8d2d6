export { GroupChat } from './group-chat.ts'
export { GroupChatManager } from './group-chat-manager.ts'
export type { Group } from './group/group.ts'
export type { GroupChatOptions } from './group/group-options.ts'
export { renderTransitions } from './render-transitions.ts'
export { initiateGroupChat, initiateGroupChatStream, initiateGroupChatSync } from './initiate-group-chat.ts'
export type { GroupChatResult } from './pattern/run-pattern.steps.ts'
export {
  autoPattern,
  defaultPattern,
  groupChat,
  manualPattern,
  randomPattern,
  roundRobinPattern,
  type GroupPattern,
  type Member,
} from './pattern/pattern.ts'
export { ContextVariables, groupTool } from './handoff/context-variables.ts'
export { expression } from './handoff/expression.ts'
export type { Guardrail } from './handoff/guardrail.ts'
export { handoff, type Handoff } from './handoff/handoff.ts'
export {
  askUser,
  functionTarget,
  groupManager,
  nestedChat,
  randomAgent,
  replyResult,
  revertToUser,
  stay,
  terminate,
  type ReplyResult,
  type Target,
} from './handoff/target.ts'
