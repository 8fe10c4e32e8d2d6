export { castOf, type Cast, type CastOptions } from './cast.ts'
export { ChatSession, type ChatSessionOptions } from './chat-session.ts'
export { chatFolders, type ChatFolder } from './chat-folders.ts'
