export { ChatSession, type ChatSessionOptions } from './chat-session.ts';
export { listChats } from './list-chats.ts';
export { createSessionAgents, type SessionAgents, type SessionAgentsOptions } from './session-agents.ts';
