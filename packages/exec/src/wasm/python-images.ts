/**
 * Memory of a Python that was just loaded and had run nothing, from which others start in a fraction of the time. Plain
 * data, shared by threads.
 */
export interface PythonImage {
  /** Text that tells what it was loaded from and with: another Python is not made from it. */
  readonly key: string
  readonly memory: SharedArrayBuffer
}

/** Seconds that an image is held for further executors. */
const IMAGE_TTL_S = 120

/** The image that was used last, and the end of its time. One is enough: programs load Python in one way. */
let latest: { readonly image: PythonImage; readonly leave: NodeJS.Timeout } | undefined

/** Returns the image that this thread used last, for another thread; null without one. */
export function latestImage(): PythonImage | null {
  return latest?.image ?? null
}

/** Returns an image of a Python that was loaded so; null without one. */
export function findImage(key: string): PythonImage | null {
  if (latest?.image.key !== key) return null
  holdImage(latest.image)
  return latest.image
}

/** Holds an image for the executors that follow in this thread, for two minutes from its last use. */
export function holdImage(image: PythonImage): void {
  clearTimeout(latest?.leave)
  const leave = setTimeout(() => (latest = undefined), IMAGE_TTL_S * 1000)
  leave.unref?.()
  latest = { image, leave }
}

/** Makes an image of bytes that a process said. */
export function imageOf(key: string, bytes: Uint8Array): PythonImage {
  const memory = new SharedArrayBuffer(bytes.length)
  new Uint8Array(memory).set(bytes)
  return { key, memory }
}
