import type { Citation } from '@x/interfaces'
import { isRecord, textAs } from '@x/provider-kit'

/** Reads a citation of a message: its facts are in an object named by its type, or beside the type. */
export function citationOf(raw: Record<string, unknown>): Citation {
  const { type } = raw
  const inner = typeof type === 'string' ? raw[type] : undefined
  const {
    start_index: start,
    end_index: end,
    url,
    title,
    filename,
    file_id: file,
    content,
  } = isRecord(inner) ? inner : raw
  return {
    ...(typeof start === 'number' && { start }),
    ...(typeof end === 'number' && { end }),
    ...textAs('url', url),
    ...textAs('title', title ?? filename),
    ...textAs('file_id', file),
    ...textAs('quote', content),
    raw,
  }
}
