export { ChatSession, type ChatSessionOptions } from './chat-session.ts'
export { listChats, type ListedChat } from './list-chats.ts'
export { createSessionAgents, type SessionAgents, type SessionAgentsOptions } from './session-agents.ts'
