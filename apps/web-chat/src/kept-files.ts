import { randomBytes } from 'node:crypto'
import type { ContentPart, HostBackend } from '@x/interfaces'
import { ATTACHABLE, cleanName, isImage, MAX_FILE_BYTES, sizeText, typeOfBytes, type Attachment } from './attachment.ts'
import { HttpFailure } from './http-failure.ts'

/** A file with its bytes, in base64. */
export interface KeptFile extends Attachment {
  readonly data: string
}

/** A file as a page sends it, with its bytes in base64. */
export interface GivenFile {
  readonly name: string
  readonly data: string
}

/** Checks the files of a message, by their bytes. Fails with status 413 if they are too large, with 415 for another kind. */
export function checkFiles(given: readonly GivenFile[]): KeptFile[] {
  const files = given.map(({ name: givenName, data: text }): KeptFile => {
    const name = cleanName(givenName)
    const bytes = Buffer.from(text, 'base64')
    const type = typeOfBytes(bytes)
    if (bytes.length === 0) throw new HttpFailure(415, `${name} is empty`)
    if (type === null) throw new HttpFailure(415, `${name} cannot be read: ${ATTACHABLE} can be attached`)
    // Written anew, so that nothing but base64 is kept.
    return { id: randomBytes(16).toString('hex'), name, type, size: bytes.length, data: bytes.toString('base64') }
  })
  if (sizeOf(files) <= MAX_FILE_BYTES) return files
  throw new HttpFailure(413, `the files are too large: those of a message have at most ${sizeText(MAX_FILE_BYTES)}`)
}

/** Returns the bytes of files together. */
export const sizeOf = (files: readonly Attachment[]): number => files.reduce((sum, { size }) => sum + size, 0)

/** Returns a file without its bytes. */
export const withoutData = ({ id, name, type, size }: KeptFile): Attachment => ({ id, name, type, size })

/**
 * Keeps the bytes of files, beside the turns of their chat: what is read of a turn again and again stays small. A file is the
 * chat's, so that a fork has its own.
 */
export class KeptFiles {
  readonly #records: HostBackend['records']

  constructor({ records }: Pick<HostBackend, 'records'>) {
    this.#records = records
  }

  async keep(chat: string, files: readonly KeptFile[]): Promise<void> {
    for (const file of files) await this.#records.change(keyOf(chat, file.id), () => ({ value: file, answer: null }))
  }

  /** Returns a file; undefined if the chat has none of this identifier. */
  async read(chat: string, id: string): Promise<KeptFile | undefined> {
    return await this.#records.change(keyOf(chat, id), (value) => ({ value, answer: value as KeptFile | undefined }))
  }

  /** Returns the files of a message; those that are gone are left out. */
  async readAll(chat: string, files: readonly Attachment[] = []): Promise<readonly KeptFile[]> {
    const found = await Promise.all(files.map(({ id }) => this.read(chat, id)))
    return found.filter((file) => file !== undefined)
  }

  async copy(from: string, to: string, files: readonly Attachment[] = []): Promise<void> {
    await this.keep(to, await this.readAll(from, files))
  }

  async delete(chat: string, files: readonly Attachment[] = []): Promise<void> {
    for (const { id } of files) {
      await this.#records.change(keyOf(chat, id), () => ({ value: undefined, answer: null }))
    }
  }
}

const keyOf = (chat: string, id: string): string => `file/${chat}/${id}`

/** Returns the content of a message: with files, the parts that a model reads. */
export function contentOf(text: string, files: readonly KeptFile[]): string | ContentPart[] {
  if (files.length === 0) return text
  const words: ContentPart[] = text === '' ? [] : [{ type: 'text', text }]
  return [...words, ...files.map(partOf)]
}

function partOf(file: KeptFile): ContentPart {
  const { name, type, data } = file
  const url = `data:${type};base64,${data}`
  if (isImage(file)) return { type: 'image_url', image_url: { url } }
  if (type === 'application/pdf') return { type: 'file', file: { filename: name, file_data: url } }
  // Every model reads text, and not every one reads files of it.
  return { type: 'text', text: `The file ${name}:\n\n${Buffer.from(data, 'base64').toString()}` }
}
