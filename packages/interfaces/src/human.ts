/** When an agent asks a human: always, never, or when a chat is about to end. */
export type HumanInputMode = 'ALWAYS' | 'NEVER' | 'TERMINATE'
