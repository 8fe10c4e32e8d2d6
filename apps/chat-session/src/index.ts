export { castOf, type Cast, type CastOptions } from './cast.ts'
export { ChatSession, type ChatSessionOptions } from './chat-session.ts'
export { chatFolders, type ChatFolder } from './chat-folders.ts'
export { simulatedModel, type SimulatedCall, type SimulatedModelOptions } from './simulated-model.ts'
