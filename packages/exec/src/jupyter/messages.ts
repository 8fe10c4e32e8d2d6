/** A message of the Jupyter protocol, as far as this package reads it. Kernels may say anything. */
export interface KernelMessage {
  readonly type: string
  /** Id of the request that it belongs to; undefined for none. */
  readonly parent: string | undefined
  readonly content: Readonly<Record<string, unknown>>
}

/** Version of the protocol. */
const PROTOCOL_VERSION = '5.3'

/** A request as this side writes it. */
interface Request {
  readonly id: string
  /** Name of this side of the connection. */
  readonly session: string
}

/** Writes the request that runs code. */
export function executeRequest(request: Request, code: string): string {
  return written(request, 'shell', 'execute_request', {
    code,
    silent: false,
    store_history: true,
    user_expressions: {},
    allow_stdin: false,
    stop_on_error: true,
  })
}

/** Writes the request that a kernel answers by telling what it is. */
export function kernelInfoRequest(request: Request, channel: 'shell' | 'control'): string {
  return written(request, channel, 'kernel_info_request', {})
}

function written({ id, session }: Request, channel: string, type: string, content: object): string {
  return JSON.stringify({
    channel,
    header: { msg_id: id, session, username: 'x', msg_type: type, version: PROTOCOL_VERSION },
    parent_header: {},
    metadata: {},
    content,
    buffers: [],
  })
}

/** Reads a message; null for what is none. */
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

/** Returns an object's entries; none for what is no object. */
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Returns a value that should be text as text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
