/** Measures the first block and the time per block of each kind of executor, and bare subprocesses: medians in milliseconds. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createCodeExecutor, type ExecutorKind } from '@x/exec'

const ROUNDS_PER_MEDIAN = 15

const median = (times: readonly number[]): string =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!.toFixed(1)

async function measure(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function medianTime(work: () => unknown): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS_PER_MEDIAN; round++) times.push(await measure(work))
  return median(times)
}

const row = (...cells: string[]): void => console.log(cells.map((cell) => cell.padEnd(14)).join(''))

row('', 'language', 'first', 'per block', 'blocking')
const bare = (program: string, args: string[]) => async (): Promise<unknown> =>
  await once(spawn(program, args), 'close')
row('subprocess', 'sh', '', await medianTime(bare('sh', ['-c', 'echo'])), '')
row('subprocess', 'python', '', await medianTime(bare('/usr/bin/python3', ['-c', 'print()'])), '')
row('subprocess', 'node', '', await medianTime(bare(process.execPath, ['-e', 'console.log()'])), '')

const BENCH_ROWS: [ExecutorKind, string, string][] = [
  ['local', 'sh', 'echo'],
  ['bubblewrap', 'sh', 'echo'],
  ['bubblewrap', 'python', 'print()'],
  ['unshare', 'sh', 'echo'],
  ['unshare', 'python', 'print()'],
  ['wasm', 'javascript', 'console.log()'],
  ['wasm', 'python', 'print()'],
  ['container', 'sh', 'echo'],
]
for (const [kind, language, code] of BENCH_ROWS) {
  const executor = createCodeExecutor(kind, {
    ...(kind === 'local' && { trust: 'host' }),
    image: process.env['X_EXEC_IMAGE'],
  })
  const block = [{ language, code }]
  try {
    const first = await measure(() => executor.executeCodeBlocks(block))
    const perBlock = await medianTime(() => executor.executeCodeBlocks(block))
    executor.executeCodeBlocksSync(block)
    row(kind, language, first.toFixed(1), perBlock, await medianTime(() => executor.executeCodeBlocksSync(block)))
  } catch (error) {
    row(kind, language, (error as Error).message.slice(0, 60))
  } finally {
    await executor.close()
  }
}
