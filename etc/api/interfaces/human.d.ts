export type HumanInputMode = 'ALWAYS' | 'NEVER' | 'TERMINATE';
