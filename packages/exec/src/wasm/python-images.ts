/**
 * Memory of a freshly loaded Python that has run nothing, from which others start in a fraction of the time. Plain data that
 * threads share.
 */
export interface PythonImage {
  /** Identifies the Pyodide and the options of the image; only an equal Python starts from it. */
  readonly key: string
  readonly memory: SharedArrayBuffer
}

/** Seconds that an image is kept for further executors. */
const IMAGE_TTL_S = 120

/** The last used image, and the timer that drops it. One is enough, since a program loads Python in one way. */
let latest: { readonly image: PythonImage; readonly timer: NodeJS.Timeout } | undefined

/** Returns the last used image of this thread, for another thread; null if there is none. */
export function latestImage(): PythonImage | null {
  return latest?.image ?? null
}

/** Returns the image with a key; null if there is none. */
export function findImage(key: string): PythonImage | null {
  if (latest?.image.key !== key) return null
  keepImage(latest.image)
  return latest.image
}

/** Keeps an image for further executors of this thread, until two minutes after its last use. */
export function keepImage(image: PythonImage): void {
  clearTimeout(latest?.timer)
  const timer = setTimeout(() => (latest = undefined), IMAGE_TTL_S * 1000)
  timer.unref?.()
  latest = { image, timer }
}

/** Creates an image from the bytes of a process. */
export function imageOf(key: string, bytes: Uint8Array): PythonImage {
  const memory = new SharedArrayBuffer(bytes.length)
  new Uint8Array(memory).set(bytes)
  return { key, memory }
}
