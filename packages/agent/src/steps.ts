export { BUILT_IN, stepsReply, type StepsReply } from './options/operations.ts'
export { generateReply, initiateChat } from './agent/steps-operations.steps.ts'
export { internalsOf } from './agent/steps-operations.steps.ts'
export { operate, operateStream, operateSync } from './run/operate.ts'
export { runRecorded } from './chat/recorded-run.steps.ts'
/** For questions to a model that have a conversation in them, beside the replies of the model. */
export { repeatCuts, toolsInRun, viewMessages } from './agent/steps-operations.steps.ts'
/** For agents that manage others, as the manager of a group does. */
export {
  append,
  askAs,
  broadcast,
  endConversation,
  externalCall,
  leadMembers,
  setManagerRole,
  shortenHistory,
  withSilence,
} from './agent/steps-operations.steps.ts'
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
} from './agent/steps-operations.steps.ts'
export type { ReplyAdditions } from './options/operations.ts'
export type { ManagerRole } from './options/operations.ts'
export { platformRandom } from './run/platform.ts'
