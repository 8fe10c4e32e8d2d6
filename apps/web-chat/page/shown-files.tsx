import { createContext, type JSX } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { sizeText } from '../src/attachment.ts'
import type { ShownFile } from '../src/item.ts'
import { Icon } from './parts.ts'

/** Reads a file from the server, which wants the token of the page; null if it cannot be read. */
export const LoadFile = createContext<(path: string) => Promise<Blob | null>>(() => Promise.resolve(null))

/** Shows images, and offers other files: the browser asks no other server for them by itself. */
export function Files({ files = [] }: { readonly files: readonly ShownFile[] | undefined }): JSX.Element | null {
  if (files.length === 0) return null
  return (
    <ul class="files">
      {files.map((file, index) => (
        <li key={index}>
          <File {...file} />
        </li>
      ))}
    </ul>
  )
}

function File({ name, url, size, isImage }: ShownFile): JSX.Element {
  if (url === null) return <span class="chip">{name}: too large to be shown</span>
  if (url.startsWith('/')) return <KeptFile name={name} path={url} size={size} isImage={isImage} />
  return (
    <>
      {isImage && <img class="picture" src={url} alt={`Picture ${name}`} />}
      <a class="chip" href={url} download={name} target="_blank" rel="noreferrer">
        <Icon name="download" /> {name}
      </a>
    </>
  )
}

/** A file that the server keeps. Its address has no token in it, so it is read by this page and shown from memory. */
function KeptFile({ name, path, size, isImage }: Omit<ShownFile, 'url'> & { readonly path: string }): JSX.Element {
  const load = useContext(LoadFile)
  const [picture, setPicture] = useState<string | null>(null)
  useEffect(() => {
    if (!isImage) return
    let made: string | null = null
    let isGone = false
    void load(path).then((bytes) => {
      if (!bytes || isGone) return
      made = URL.createObjectURL(bytes)
      setPicture(made)
    })
    return () => {
      isGone = true
      if (made !== null) URL.revokeObjectURL(made)
    }
  }, [path])
  const save = async (): Promise<void> => {
    const bytes = await load(path)
    if (!bytes) return
    const link = document.createElement('a')
    link.href = URL.createObjectURL(bytes)
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), SAVE_DELAY_MS)
  }
  return (
    <>
      {isImage && (
        <span class="kept">{picture !== null && <img class="picture" src={picture} alt={`Picture ${name}`} />}</span>
      )}
      <button type="button" class="chip" onClick={() => void save()}>
        <Icon name="download" /> {name} {size !== undefined && <small>{sizeText(size)}</small>}
      </button>
    </>
  )
}

/** Milliseconds within which a browser has begun to save a file. */
const SAVE_DELAY_MS = 10_000
