import { randomBytes } from 'node:crypto'
import { writeConfined } from '../run/confined-file.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { join } from 'node:path'

/** Endings of the files that pictures and pages become, by the type of their data. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'text/html': 'html',
}

/**
 * Gives what a cell shows as text: plain text as it is, pictures and pages by the file that they were saved as in the
 * work directory, everything else as JSON.
 */
export function shownText(data: Readonly<Record<string, unknown>>, workDir: string, limits: ExecutionLimits): string {
  return Object.entries(data)
    .map(([type, value]) => `${partText(type, value, workDir, limits).replace(/\n$/u, '')}\n`)
    .join('')
}

function partText(type: string, value: unknown, workDir: string, { fileBytes }: ExecutionLimits): string {
  const text = Array.isArray(value) ? value.join('') : value
  if (type === 'text/plain' && typeof text === 'string') return text
  const ending = Object.hasOwn(ENDINGS, type) ? ENDINGS[type] : undefined
  if (ending === undefined || typeof text !== 'string') return JSON.stringify({ [type]: value })
  const what = ending === 'html' ? 'HTML' : 'Image'
  const isText = ending === 'html' || ending === 'svg'
  const bytes = Buffer.from(text, isText ? 'utf8' : 'base64')
  if (bytes.length > fileBytes)
    return `${what} data left out: ${bytes.length} bytes, and a file has at most ${fileBytes}`
  const name = `${randomBytes(16).toString('hex')}.${ending}`
  writeConfined(workDir, name, bytes)
  return `${what} data saved to ${join(workDir, name)}`
}
