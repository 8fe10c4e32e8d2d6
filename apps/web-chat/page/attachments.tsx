import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ATTACHABLE, cleanName, isImage, MAX_FILE_BYTES, MAX_FILES, sizeText, typeOfBytes } from '../src/attachment.ts'
import { Icon } from './parts.ts'

/** Bytes from which an image is made smaller before it is sent: models see no more of it. */
const MAX_IMAGE_BYTES = 1_000_000

/** Pixels of the longer side of an image that was made smaller. */
const MAX_IMAGE_SIDE = 2048

/** Bytes from which a file is not even read. */
const MAX_READ_BYTES = 50_000_000

/** A file that goes with the next message. */
export interface DraftFile {
  readonly name: string
  readonly size: number
  /** The bytes in base64. */
  readonly data: string
  /** URL of an image to show; null for another file. */
  readonly picture: string | null
}

/** The files that go with the next message of a chat. */
export interface Attachments {
  readonly files: readonly DraftFile[]
  add(given: Iterable<File>): void
  /** Takes away files that were sent, or are not wanted. */
  remove(gone: readonly DraftFile[]): void
}

/** Keeps the files of the next message, for each chat; `report` is told what is wrong with one. */
export function useAttachments(chat: string, report: (line: string) => void): Attachments {
  const kept = useRef(new Map<string, readonly DraftFile[]>())
  const [, redraw] = useState({})
  const filesOf = (): readonly DraftFile[] => kept.current.get(chat) ?? []
  const put = (files: readonly DraftFile[]): void => {
    kept.current.set(chat, files)
    redraw({})
  }
  const add = async (given: readonly File[]): Promise<void> => {
    const problems: string[] = []
    for (const file of given) {
      const draft = await draftOf(file)
      const problem = typeof draft === 'string' ? draft : problemOf(draft, filesOf())
      if (problem !== null) problems.push(problem)
      else put([...filesOf(), draft as DraftFile])
    }
    report(problems.join(' '))
  }
  return {
    files: filesOf(),
    add: (given) => void add([...given]),
    remove(gone) {
      for (const { picture } of gone) if (picture !== null) URL.revokeObjectURL(picture)
      put(filesOf().filter((each) => !gone.includes(each)))
    },
  }
}

/** Says why a file cannot go with others; null if it can. */
function problemOf({ name, size }: DraftFile, others: readonly DraftFile[]): string | null {
  if (others.length === MAX_FILES) return `${name} is one too many: a message has at most ${MAX_FILES} files.`
  const sum = others.reduce((all, each) => all + each.size, size)
  if (sum <= MAX_FILE_BYTES) return null
  const most = `the files of a message have at most ${sizeText(MAX_FILE_BYTES)}.`
  return others.length === 0
    ? `${name} is too large: it has ${sizeText(size)}, and ${most}`
    : `${name} is too large with the others: ${most}`
}

/** Reads a file; returns what is wrong with it if it cannot be attached. */
async function draftOf(file: File): Promise<DraftFile | string> {
  const name = cleanName(file.name)
  if (file.size > MAX_READ_BYTES) {
    return `${name} is too large: it has ${sizeText(file.size)}, and the files of a message have at most ${sizeText(MAX_FILE_BYTES)}.`
  }
  try {
    const type = typeOfBytes(new Uint8Array(await file.arrayBuffer()))
    if (file.size === 0) return `${name} is empty.`
    if (type === null) return `${name} cannot be read: ${ATTACHABLE} can be attached.`
    const small = isImage({ type }) && type !== 'image/gif' && file.size > MAX_IMAGE_BYTES ? await shrunk(file) : null
    const sent = small ?? file
    return {
      name: small ? name.replace(/\.[^.]*$/u, '.jpg') : name,
      size: sent.size,
      data: await base64(sent),
      picture: isImage({ type }) ? URL.createObjectURL(sent) : null,
    }
  } catch {
    return `${name} cannot be read.`
  }
}

/** Makes an image smaller; returns null if that does not help, or if the browser cannot draw it. */
async function shrunk(file: File): Promise<Blob | null> {
  try {
    const image = await createImageBitmap(file)
    const scale = Math.min(1, MAX_IMAGE_SIDE / Math.max(image.width, image.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(image.width * scale)
    canvas.height = Math.round(image.height * scale)
    const brush = canvas.getContext('2d')!
    // What can be looked through would be black.
    brush.fillStyle = 'white'
    brush.fillRect(0, 0, canvas.width, canvas.height)
    brush.drawImage(image, 0, 0, canvas.width, canvas.height)
    image.close()
    const small = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85))
    return small && small.size < file.size ? small : null
  } catch {
    return null
  }
}

async function base64(blob: Blob): Promise<string> {
  const reader = new FileReader()
  await new Promise((resolve, reject) => {
    reader.addEventListener('load', resolve)
    reader.addEventListener('error', reject)
    reader.readAsDataURL(blob)
  })
  return (reader.result as string).replace(/^[^,]*,/u, '')
}

/** Shows the files that go with the next message, each with a button that takes it away. */
export function AttachedFiles({
  files,
  remove,
}: Pick<Attachments, 'files'> & { readonly remove: (file: DraftFile) => void }): JSX.Element {
  const names = files.map(({ name, size }) => `${name}, ${sizeText(size)}`).join('; ')
  return (
    <>
      <p class="hidden" role="status">
        {names && `Attached: ${names}`}
      </p>
      {files.length > 0 && (
        <ul class="attached" aria-label="Attached files">
          {files.map((file, index) => (
            <li key={index}>
              {file.picture === null ? <Icon name="file" /> : <img src={file.picture} alt="" />}
              <span class="name" title={file.name}>
                {file.name}
              </span>
              <small>{sizeText(file.size)}</small>
              <button type="button" class="quiet small" aria-label={`Remove ${file.name}`} onClick={() => remove(file)}>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Takes files that are dropped on the page; shows where while they are dragged over it. */
export function DropTarget({ add }: Pick<Attachments, 'add'>): JSX.Element | null {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      add(event.dataTransfer!.files)
    }
    document.addEventListener('dragover', over)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragover', over)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', drop)
    }
  }, [add])
  if (!isOver) return null
  return (
    <div class="drop">
      <p>
        <Icon name="attach" /> Drop files here to attach them
      </p>
    </div>
  )
}
