export { GroupChat, type AgentByNameOptions } from './group-chat.ts'
export { GroupChatManager, type GroupChatManagerOptions } from './group-chat-manager.ts'
export type { Group, SelectCandidates, SelectSpeaker, SpeakerTransitions } from './group/group.ts'
export { renderTransitions } from './render-transitions.ts'
export type { GroupChatOptions } from './group/group-options.ts'
export { ContextVariables } from './handoff/context-variables.ts'
export { expression } from './handoff/expression.ts'
export type { Guardrail } from './handoff/guardrail.ts'
export { handoff, type Handoff } from './handoff/handoff.ts'
export { replyResult } from './handoff/target.ts'
export {
  askUser,
  functionTarget,
  groupManager,
  nestedChat,
  randomAgent,
  revertToUser,
  stay,
  terminate,
  type ReplyResult,
  type Target,
} from './handoff/target.ts'
export { groupTool } from './handoff/context-variables.ts'
export {
  initiateGroupChat,
  initiateGroupChatStream,
  initiateGroupChatSync,
  type GroupChatRunOptions,
} from './initiate-group-chat.ts'
export type { GroupPattern, Member, PatternOptions } from './pattern/pattern.ts'
export { autoPattern, defaultPattern, manualPattern, randomPattern, roundRobinPattern } from './pattern/pattern.ts'
export type { GroupChatResult } from './pattern/run-pattern.steps.ts'
export { groupChat } from './pattern/pattern.ts'
