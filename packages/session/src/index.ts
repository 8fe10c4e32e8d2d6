export { ChatSession, type ChatSessionOptions } from './chat-session.ts'
export { createSessionAgents, type SessionAgents, type SessionAgentsOptions } from './session-agents.ts'
