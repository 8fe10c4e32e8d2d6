import { randomUUID, randomBytes } from 'node:crypto'
import type { JobControl, JobResult } from '../custom/backend.ts'
import type { Job } from '../run/job.ts'
import type { KernelChannel } from './kernel-channel.ts'
import { executeRequest, recordOf, textOf, type KernelMessage } from './messages.ts'
import { writeConfined } from '../run/confined-file.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { join } from 'node:path'

/** Context of {@link runCell}. */
export interface CellContext {
  /** Name of this side of the connection. */
  readonly session: string
  readonly workDir: string
  readonly control: JobControl
}

/**
 * Runs code in a kernel and reports its output. Resolves once the kernel has answered and is idle again, or to null if the
 * kernel or the connection has ended.
 */
export async function runCell(
  channel: KernelChannel,
  { code, limits }: Job,
  { session, workDir, control }: CellContext,
): Promise<JobResult | null> {
  const id = randomUUID()
  const { promise, resolve } = Promise.withResolvers<JobResult | null>()
  let exitCode: number | undefined
  let hasAnswered = false
  let idle = false
  const print = (stream: 'stdout' | 'stderr', text: string): void => {
    // The last output of a stopped block is only about the stop.
    if (!control.signal.aborted && text !== '') control.onOutput({ stream, text })
  }
  const fail = (content: KernelMessage['content']): void => {
    exitCode ??= 1
    const { ename, evalue, traceback } = content
    const lines = Array.isArray(traceback) ? traceback.map(textOf).join('\n') : ''
    print('stderr', `ERROR: ${textOf(ename)}: ${textOf(evalue)}\n${lines}\n`)
  }
  const show = (data: Readonly<Record<string, unknown>>): void => {
    try {
      print('stdout', richOutputText(data, workDir, limits))
    } catch (error) {
      // An error in a listener of the connection would end the program: code may remove the directory, or nest too deeply.
      const { cause, message } = error as Error
      print('stderr', `Rich output left out: ${cause instanceof Error ? cause.message : message}\n`)
    }
  }
  channel.listen((message) => {
    if (!message) return resolve(null)
    const { type, content } = message
    if (message.parent !== id) return undefined
    if (type === 'stream') print(content['name'] === 'stderr' ? 'stderr' : 'stdout', textOf(content['text']))
    else if (type === 'display_data' || type === 'execute_result') {
      if (!control.signal.aborted) show(recordOf(content['data']))
    } else if (type === 'error') fail(content)
    else if (type === 'execute_reply') exitCode ??= content['status'] === 'ok' ? 0 : 1
    else if (type === 'status') idle = content['execution_state'] === 'idle'
    if (type === 'execute_reply') hasAnswered = true
    if (hasAnswered && idle) resolve({ exitCode: exitCode ?? 1 })
    return undefined
  })
  channel.send(executeRequest({ id, session }, code))
  return await promise
}

/** Endings of the files for pictures and pages, by media type. */
const RICH_OUTPUT_ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'text/html': 'html',
}

/**
 * Returns rich output of a cell as text: plain text as it is, the saved file for pictures and pages, everything else as JSON.
 */
function richOutputText(data: Readonly<Record<string, unknown>>, workDir: string, limits: ExecutionLimits): string {
  return Object.entries(data)
    .map(([type, value]) => `${partText(type, value, workDir, limits).replace(/\n$/u, '')}\n`)
    .join('')
}

function partText(type: string, value: unknown, workDir: string, { fileBytes }: ExecutionLimits): string {
  const text = Array.isArray(value) ? value.join('') : value
  if (type === 'text/plain' && typeof text === 'string') return text
  const ending = Object.hasOwn(RICH_OUTPUT_ENDINGS, type) ? RICH_OUTPUT_ENDINGS[type] : undefined
  if (ending === undefined || typeof text !== 'string') return JSON.stringify({ [type]: value })
  const label = ending === 'html' ? 'HTML' : 'Image'
  const isText = ending === 'html' || ending === 'svg'
  const bytes = Buffer.from(text, isText ? 'utf8' : 'base64')
  if (bytes.length > fileBytes)
    return `${label} data left out: ${bytes.length} bytes, and a file has at most ${fileBytes}`
  const name = `${randomBytes(16).toString('hex')}.${ending}`
  writeConfined(workDir, name, bytes)
  return `${label} data saved to ${join(workDir, name)}`
}
