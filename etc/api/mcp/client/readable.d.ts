export interface McpPrompt {
    readonly name: string;
    readonly description: string;
    readonly arguments: readonly {
        readonly name: string;
        readonly required: boolean;
    }[];
}
export interface McpPromptMessage {
    readonly role: 'user' | 'assistant';
    readonly text: string;
}
export interface McpResource {
    readonly uri: string;
    readonly name: string;
    readonly description: string;
    readonly mimeType: string | undefined;
    readonly isTemplate: boolean;
}
export interface McpContents {
    readonly uri: string;
    readonly mimeType: string | undefined;
    readonly text: string | undefined;
    readonly data: string | undefined;
}
