import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createCodeExecutor } from '../create-code-executor.ts'
import { holdImage, imageOf, latestImage } from './python-images.ts'

const DIRECTORY = join(import.meta.dirname, '../../../../.cache')

function imageFile(): string {
  const { version } = createRequire(import.meta.url)('pyodide/package.json') as { version: string }
  return join(DIRECTORY, `python-${version}-node-${process.version}-${process.arch}.image`)
}

/**
 * Holds the image of Python that another program of tests made, and tells whether there is one. Loading Python anew
 * takes seconds of computing, and such programs are many; `python-images.test.ts` loads it without.
 */
export function borrowImage(): boolean {
  try {
    const file = readFileSync(imageFile())
    const end = file.indexOf('\n')
    holdImage(imageOf(file.toString('utf8', 0, end), file.subarray(end + 1)))
    return true
  } catch {
    return false
  }
}

/** Like {@link borrowImage}; makes an image for all that follow where there is none yet. */
export async function lendImage(): Promise<void> {
  if (borrowImage()) return
  await using executor = createCodeExecutor('wasm')
  try {
    await executor.executeCodeBlocks([{ language: 'python', code: '' }])
    const { key, memory } = latestImage()!
    mkdirSync(DIRECTORY, { recursive: true })
    const own = `${imageFile()}-${process.pid}`
    writeFileSync(own, Buffer.concat([Buffer.from(`${key}\n`), new Uint8Array(memory)]))
    renameSync(own, imageFile())
  } catch {
    // There is no Pyodide, or the directory is another user's: each program loads Python itself.
  }
}
