export type HumanInputMode = 'ALWAYS' | 'NEVER' | 'TERMINATE';
export interface CodeBlock {
    language: string;
    code: string;
}
export interface ToolCallToVet {
    readonly agent: string;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly callId: string | null;
}
export interface CodeToVet {
    readonly agent: string;
    readonly blocks: readonly CodeBlock[];
}
export interface PendingApproval {
    readonly id: string;
    readonly chatId: string | null;
    readonly agentPath: readonly string[];
    readonly agent: string;
    readonly action: ActionToApprove;
}
export type ActionToApprove = ({
    readonly type: 'toolCall';
    readonly note?: string | undefined;
} & Omit<ToolCallToVet, 'agent'>) | ({
    readonly type: 'code';
} & Omit<CodeToVet, 'agent'>) | {
    readonly type: 'question';
    readonly prompt: string;
};
export type ApprovalDecision = ({
    readonly allow: true;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
    readonly answer?: string | undefined;
} | {
    readonly allow: false;
    readonly reason?: string | undefined;
}) & {
    readonly by?: string | undefined;
};
