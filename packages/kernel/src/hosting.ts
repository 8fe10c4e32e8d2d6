/** For packages that keep hosted chats. */
export {
  checkpointIn,
  damagedChat,
  priorityNumber,
  readClaimedChat,
  readStoredChat,
  readStoredEntry,
  readStoredEvents,
  readStoredRecord,
} from './stored-chat.ts'
export { warnThat } from './warnings.ts'
