import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { processTree } from '../backend/processes.ts'
import { executorMatrix, MACHINE_KINDS, python, sh } from '../executor-matrix.fake.ts'

// A busy machine is slow.
vi.setConfig({ testTimeout: 120_000 })

// Limits that code cannot put off by giving the program much to do, nor the program by being busy.

/** Milliseconds that this thread has computed for; waiting for other programs is not counted. */
function computed(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds that the event loop was kept at most, during some work. */
async function stall(work: () => Promise<unknown>): Promise<number> {
  let last = computed()
  let worst = 0
  const look = (): void => {
    const now = computed()
    worst = Math.max(worst, now - last)
    last = now
  }
  const timer = setInterval(look, 10)
  try {
    await work()
    look()
    return worst
  } finally {
    clearInterval(timer)
  }
}

const DEEP = `
import os, time
p = "/".join(["d"] * 61)
os.makedirs(p); os.chdir(p)
for i in range(9000): os.mkdir(str(i))
print("made", flush=True)
time.sleep(4)`

/** Keeps the event loop until something holds, or too long. */
function keepUntil(holds: () => boolean, ms: number): boolean {
  for (const end = performance.now() + ms; performance.now() < end;) if (holds()) return true
  return false
}

const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const matrix = await executorMatrix(MACHINE_KINDS)
describe.each(matrix)('$kind keeps to its limits', ({ missing, create }) => {
  const test = it.skipIf(missing !== null)

  test('while code makes a deep tree of directories', async () => {
    await using executor = create({ timeout: 2 })
    await executor.executeCodeBlocks([sh(':')])
    const kept = await stall(async () => {
      const { blocks } = await executor.executeCodeBlocks([python(DEEP)])
      expect(['timeout', 'disk']).toContain(blocks![0]!.reason)
    })
    // Half a minute's walks, if each went down from the top.
    expect(kept).toBeLessThan(1_000)
    await expect(stall(async () => await executor.close())).resolves.toBeLessThan(4_000)
  })

  test('while the program is busy', async () => {
    await using executor = create({ timeout: 3 })
    // The thread that watches is there.
    await executor.executeCodeBlocks([sh(':')])
    let ended: boolean | undefined
    const { blocks } = await executor.executeCodeBlocks([sh('echo on; sleep 8907')], {
      emit: ({ type }) => {
        if (type !== 'codeOutput') return
        const isCode = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep\0')
        let code: number[] = []
        expect(keepUntil(() => (code = processTree(process.pid).filter(isCode)).length > 0, 2_500)).toBe(true)
        ended ??= keepUntil(() => !code.some(isRunning), 60_000)
      },
    })
    expect(ended).toBe(true)
    expect([blocks![0]!.reason, blocks![0]!.exitCode]).toEqual(['timeout', 124])
  })
})
