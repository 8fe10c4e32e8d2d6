/** The author of a message, in the wire's names. */
export type Role = 'system' | 'user' | 'assistant' | 'function' | 'tool'

/** A piece of text. */
export interface TextPart {
  type: 'text'
  text: string
}

/** An image, by `https:` or `data:` URL. */
export interface ImagePart {
  type: 'image_url'
  image_url: { url: string; detail?: 'auto' | 'low' | 'high' | undefined }
}

/** A sound, base64. */
export interface AudioPart {
  type: 'input_audio'
  input_audio: { data: string; format: 'wav' | 'mp3' }
}

/** A file, by id or as a `data:` URL. */
export interface FilePart {
  type: 'file'
  file: {
    filename?: string | undefined
    file_data?: string | undefined
    /** Id of a file that a provider stores; other providers get a note instead. */
    file_id?: string | undefined
    /** Provider that stores the file; default: guessed from the form of the id. */
    provider?: string | undefined
  }
}

/** One part of a message whose content is a list. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart

/** A call of one function, in the older style; use tool calls. */
export interface FunctionCall {
  name: string
  /** JSON text of the arguments object. */
  arguments: string
}

/** One tool call of a model. */
export interface ToolCall {
  id?: string | undefined
  type?: 'function' | undefined
  function: FunctionCall
}

/** The result of one tool call. */
export interface ToolResponse {
  tool_call_id?: string | undefined
  role: 'tool' | 'function'
  /** Text, or parts if the tool returned more than text. */
  content: string | ContentPart[] | null
  /** Name of the function, in the older style. */
  name?: string | undefined
}

/** One message of a conversation; its keys are the wire's. */
export interface ChatMessage {
  /** Text, parts, null beside a call, or a function that makes the text from the context. */
  content?: string | ContentPart[] | null | ((context: Record<string, unknown>) => string) | undefined
  role?: Role | undefined
  /** Name of the sender, or of the function that returned this result. */
  name?: string | undefined
  /** A call in the older style. */
  function_call?: FunctionCall | undefined
  /** Tool calls of the model. */
  tool_calls?: ToolCall[] | undefined
  /** The call that a message of role `tool` answers. */
  tool_call_id?: string | undefined
  /** Results of several calls in one message; unrolled before a model sees them. */
  tool_responses?: ToolResponse[] | undefined
  /** Values for templates and callable contents. */
  context?: Record<string, unknown> | undefined
  /** Id of a call in the older style. */
  id?: string | undefined
  /** Opaque vendor data, such as reasoning signatures, which go back to the provider. */
  provider_metadata?: Record<string, unknown> | undefined
}

/** A reply or a message to send: a text or a whole message. */
export type Reply = string | ChatMessage
