/** Message of the Jupyter protocol, as far as this package reads it. Kernels may send anything. */
export interface KernelMessage {
  readonly type: string
  /** Id of the request to which the message belongs; undefined for none. */
  readonly parent: string | undefined
  readonly content: Readonly<Record<string, unknown>>
}

/** Version of the Jupyter protocol. */
const PROTOCOL_VERSION = '5.3'

/** Identifiers of a request. */
interface Request {
  readonly id: string
  /** Name of this side of the connection. */
  readonly session: string
}

/** Returns the request that runs code. */
export function executeRequest(request: Request, code: string): string {
  return encodeRequest(request, 'shell', 'execute_request', {
    code,
    silent: false,
    store_history: true,
    user_expressions: {},
    allow_stdin: false,
    stop_on_error: true,
  })
}

/** Returns the request for information about a kernel. */
export function kernelInfoRequest(request: Request, channel: 'shell' | 'control'): string {
  return encodeRequest(request, channel, 'kernel_info_request', {})
}

function encodeRequest({ id, session }: Request, channel: string, type: string, content: object): string {
  return JSON.stringify({
    channel,
    header: { msg_id: id, session, username: 'x', msg_type: type, version: PROTOCOL_VERSION },
    parent_header: {},
    metadata: {},
    content,
    buffers: [],
  })
}

/** Parses a message; returns null for anything else. */
export function readMessage(data: unknown): KernelMessage | null {
  if (typeof data !== 'string') return null
  let message: unknown
  try {
    message = JSON.parse(data)
  } catch {
    return null
  }
  const { header, parent_header: parent, content } = recordOf(message)
  const type = recordOf(header)['msg_type']
  if (typeof type !== 'string') return null
  const id = recordOf(parent)['msg_id']
  return { type, parent: typeof id === 'string' ? id : undefined, content: recordOf(content) }
}

/** Returns an object as a record; an empty record for any other value. */
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Returns a text; an empty text for any other value. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
