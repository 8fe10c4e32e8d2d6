import { readFile } from 'node:fs/promises'

/** Reads the names of traces that are known to differ, each with its reason after `#`. */
export async function readOpenTraces(file: URL = new URL('../open.txt', import.meta.url)): Promise<Set<string>> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return new Set(lines.map((line) => line.replace(/#.*/u, '').trim()).filter(Boolean))
}
