export type Role = 'system' | 'user' | 'assistant' | 'function' | 'tool';
export interface TextPart {
    type: 'text';
    text: string;
}
export interface ImagePart {
    type: 'image_url';
    image_url: {
        url: string;
        detail?: 'auto' | 'low' | 'high' | undefined;
    };
}
export interface AudioPart {
    type: 'input_audio';
    input_audio: {
        data: string;
        format: 'wav' | 'mp3';
    };
}
export interface FilePart {
    type: 'file';
    file: {
        filename?: string | undefined;
        file_data?: string | undefined;
        file_id?: string | undefined;
        provider?: string | undefined;
    };
}
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart;
export interface FunctionCall {
    name: string;
    arguments: string;
}
export interface ToolCall {
    id?: string | undefined;
    type?: 'function' | undefined;
    function: FunctionCall;
}
export interface ToolResponse {
    tool_call_id?: string | undefined;
    role: 'tool' | 'function';
    content: string | ContentPart[] | null;
    name?: string | undefined;
}
export interface ChatMessage {
    content?: string | ContentPart[] | null | ((context: Record<string, unknown>) => string) | undefined;
    role?: Role | undefined;
    name?: string | undefined;
    function_call?: FunctionCall | undefined;
    tool_calls?: ToolCall[] | undefined;
    tool_call_id?: string | undefined;
    tool_responses?: ToolResponse[] | undefined;
    context?: Record<string, unknown> | undefined;
    id?: string | undefined;
    provider_metadata?: Record<string, unknown> | undefined;
}
export type Reply = string | ChatMessage;
