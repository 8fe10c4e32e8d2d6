export { generateReply, initiateChat } from './agent/agent-operations.steps.ts'
export { internalsOf } from './memory/agent-internals.ts'
export { operate, operateStream, operateSync } from './run/operate.ts'
export { runRecorded } from './chat/recorded-run.steps.ts'
/** For questions to a model that have a conversation in them, beside the replies of the model. */
export { repeatCuts, viewMessages } from './reply/view-messages.steps.ts'
export { BUILT_IN } from './reply/reply-identity.ts'
export { stepsReply } from './reply/steps-reply.ts'
export type { StepsReply } from './options/operations.ts'
/** For agents that manage others, as the manager of a group does. */
export {
  askAs,
  endConversation,
  externalCall,
  leadMembers,
  say,
  sayToAll,
  setManagerRole,
  shortenHistory,
} from './agent/manager-operations.steps.ts'
/** For groups in which agents hand over to each other. */
export {
  callFor,
  forgetConversation,
  functionOf,
  functionOfTool,
  inReplyOf,
  isRecorded,
  modelsOf,
  noteAnswers,
  toolNamesOf,
  withVariables,
} from './agent/group-operations.steps.ts'
export type { ReplyAdditions } from './options/reply-additions.ts'
export type { ManagerRole } from './options/manager-role.ts'
export { platformRandom } from './run/platform.ts'
