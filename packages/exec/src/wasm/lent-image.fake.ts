import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createCodeExecutor } from '../create-code-executor.ts'
import { keepImage, imageOf, latestImage } from './python-images.ts'

const CACHE_DIRECTORY = join(import.meta.dirname, '../../../../.cache')

function imageFile(): string {
  const { version } = createRequire(import.meta.url)('pyodide/package.json') as { version: string }
  return join(CACHE_DIRECTORY, `python-${version}-node-${process.version}-${process.arch}.image`)
}

/**
 * Keeps the image of Python that another test program made; returns false if there is none. Loading Python anew takes seconds
 * in each test program. `python-images.test.ts` loads it without an image.
 */
export function borrowImage(): boolean {
  try {
    const file = readFileSync(imageFile())
    const end = file.indexOf('\n')
    keepImage(imageOf(file.toString('utf8', 0, end), file.subarray(end + 1)))
    return true
  } catch {
    return false
  }
}

/** Like {@link borrowImage}, but makes an image for other test programs if there is none. */
export async function lendImage(): Promise<void> {
  if (borrowImage()) return
  await using executor = createCodeExecutor('wasm')
  try {
    await executor.executeCodeBlocks([{ language: 'python', code: '' }])
    const { key, memory } = latestImage()!
    mkdirSync(CACHE_DIRECTORY, { recursive: true })
    const own = `${imageFile()}-${process.pid}`
    writeFileSync(own, Buffer.concat([Buffer.from(`${key}\n`), new Uint8Array(memory)]))
    renameSync(own, imageFile())
  } catch {
    // Pyodide is missing, or the directory belongs to another user: each program loads Python itself.
  }
}
