import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { CodeResult } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { plainWorkspace } from '../backend/workspace.ts'
import { sandboxBackend } from '../backend/sandbox.ts'
import { limitsOf } from '../run/limits.ts'
import { makeTemporaryDirectory, removeTemporaryDirectory } from '../run/temporary-directory.ts'
import { executorMatrix, SANDBOX_KINDS, python, sh } from '../executor-matrix.fake.ts'

// Code that takes disk space beyond the limits of its work directory, which a measurement of sizes misses or sees too late.
const MIB = 2 ** 20
const LIMITS = { timeout: 8, fileBytes: 32 * MIB, workspaceBytes: 12 * MIB, workspaceEntries: 300 }

/** Reserves room that no size shows, as often as it gets some, and tells how many MiB it got. */
const RESERVED = `
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
got = 0
for i in range(40):
  f = os.open(f"hole{i}", os.O_CREAT | os.O_WRONLY)
  got += 4 if libc.fallocate(f, 1, ctypes.c_long(0), ctypes.c_long(4 * 2**20)) == 0 else 0
for i, request in enumerate((0x40305828, 0x4030582a, 0x40305839)):
  f = os.open(f"more{i}", os.O_CREAT | os.O_WRONLY)
  got += 4 if libc.ioctl(f, ctypes.c_ulong(request), struct.pack("hhqqiI16x", 0, 0, 0, 4 * 2**20, 0, 0)) == 0 else 0
print(got)`

/** Writes as fast as it can, and tells how many MiB it wrote and why it ended. */
const WRITTEN = `
import os
got, why = 0, "nothing"
try:
  for i in range(256):
    f = os.open(f"f{i}", os.O_CREAT | os.O_WRONLY); os.write(f, bytes(2**20)); os.close(f); got += 1
except OSError as error: why = error.errno
print(got, why)`

/** Like {@link takenOnce}, the least of three: others write to the same disk meanwhile. */
async function taken(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let round = 0; round < 3 && least >= 64; round++) least = Math.min(least, await takenOnce(work))
  return least
}

/** MiB by which the disk of temporary files has less room at any time of some work than before it. */
async function takenOnce(work: () => Promise<unknown>): Promise<number> {
  const free = (): number => {
    const { bavail, bsize } = statfsSync(tmpdir())
    return (bavail * bsize) / MIB
  }
  const before = free()
  let least = before
  const timer = setInterval(() => (least = Math.min(least, free())), 20)
  try {
    await work()
    return before - Math.min(least, free())
  } finally {
    clearInterval(timer)
  }
}

const matrix = await executorMatrix(SANDBOX_KINDS)
describe.each(matrix)('$kind, in a directory of its own', ({ missing, create }) => {
  const test = it.skipIf(missing !== null)

  test('is a wall: what is reserved and what is written fast', async () => {
    await using executor = create({ limits: LIMITS })
    for (const code of [RESERVED, WRITTEN]) {
      const { output } = await executor.executeCodeBlocks([python(code)])
      expect(Number.parseInt(output, 10)).toBeLessThanOrEqual(12)
      expect((await executor.executeCodeBlocks([sh('rm -f hole* more* f*; echo next')])).output).toBe('next\n')
    }
  })

  test('uses no disk space', async () => {
    await using executor = create({ limits: LIMITS })
    const rewritten = [sh('rm -f f*'), python(WRITTEN)]
    expect(await taken(async () => await executor.executeCodeBlocks(rewritten))).toBeLessThan(64)
  })

  test('does not grow by further blocks, nor by files without a name', async () => {
    await using executor = create({ limits: LIMITS })
    const results: CodeResult[] = []
    for (let block = 0; block < 3; block++) {
      results.push(await executor.executeCodeBlocks([python(WRITTEN.replace('f"f{i}"', `f"g${block}_{i}"`))]))
    }
    const sizes = results.at(-1)!.artifacts!.map(({ size }) => size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(13 * MIB)
    expect(results.map(({ output }) => Number.parseInt(output, 10) <= 12)).toEqual([true, true, true])
    const gone =
      'kept = []\nfor i in range(40):\n  f = os.open("gone", os.O_CREAT | os.O_WRONLY); os.unlink("gone"); kept.append(f); os.write(f, bytes(2**20))'
    const { exitCode } = await executor.executeCodeBlocks([python(`import os\n${gone}`)])
    expect(exitCode).not.toBe(0)
  })

  test('keeps its files between blocks, where the program can read them', async () => {
    await using executor = create({ limits: LIMITS })
    const { artifacts } = await executor.executeCodeBlocks([sh('mkdir d; echo kept > d/f'), sh('cat d/f')])
    expect(artifacts!.map(({ name }) => name)).toContain('d/f')
    // The blocking call has the same ones.
    expect(executor.executeCodeBlocksSync([sh('cat d/f; echo too > d/g')]).output).toBe('kept\n')
    expect((await executor.executeCodeBlocks([sh('cat d/g')])).output).toBe('too\n')
  })

  test('is a wall in a directory of the user as well', async () => {
    const workDir = makeTemporaryDirectory()
    try {
      await using executor = create({ limits: LIMITS, workDir })
      const run = async (): Promise<void> => {
        const { output } = await executor.executeCodeBlocks([sh('rm -f f*'), python(WRITTEN)])
        expect(Number.parseInt(output, 10)).toBeLessThanOrEqual(12)
      }
      expect(await taken(run)).toBeLessThan(64)
    } finally {
      await removeTemporaryDirectory(workDir)
    }
  })
})

// As on a machine that lets nobody make a file system: blocks are counted, and nothing can be reserved.
describe.each(matrix)('$kind, in a directory on the disk', ({ kind, missing }) => {
  const run = async (code: string, directory: string, limits = limitsOf(LIMITS)) => {
    const workspace = plainWorkspace(directory)
    const { path, inside, holder, byRoot, isLayered } = workspace
    const backend = sandboxBackend({
      kind: kind as 'bubblewrap' | 'unshare',
      workspace: { path, inside, holder, byRoot, isLayered },
      given: null,
      rules: { apply: 'safe', writable: [] },
      network: 'none',
      readOnly: [],
      env: {},
      hostPath: '',
    })
    return await backend.run({ runtime: 'python', file: 'a.py', code, saveOnly: false, limits }, {})
  }
  const test = it.skipIf(missing !== null)

  test('reserves nothing', async () => {
    const directory = makeTemporaryDirectory()
    try {
      expect((await run(RESERVED, directory)).stdout).toBe('0\n')
      // Libraries then write what they cannot reserve.
      const fallen = await run(
        'import os\nf = os.open("p", os.O_CREAT | os.O_RDWR); os.posix_fallocate(f, 0, 4096); print(os.fstat(f).st_size)',
        directory,
      )
      expect(fallen.stdout).toBe('4096\n')
    } finally {
      await removeTemporaryDirectory(directory)
    }
  })

  test('ends a block that is over its limits, at the latest at the end of the block', async () => {
    const directory = makeTemporaryDirectory()
    try {
      const fill = 'import os\nfor i in range(20): os.write(os.open(f"f{i}", os.O_CREAT | os.O_WRONLY), bytes(2**20))'
      const { reason, exitCode } = await run(fill, directory)
      expect([reason, exitCode]).toEqual(['disk', 137])
      // Full already: no moment of grace while it grows, and one to make room.
      const more = await run(`${fill.replace('f"f', 'f"g')}\nimport time\ntime.sleep(6)\nprint("all")`, directory)
      expect([more.reason, more.stdout]).toEqual(['disk', ''])
      const less = await run(
        'import os\nfor i in range(20):\n  for n in "fg":\n    if os.path.exists(f"{n}{i}"): os.unlink(f"{n}{i}")\nprint("room")',
        directory,
      )
      expect([less.reason, less.stdout]).toEqual(['exit', 'room\n'])
    } finally {
      await removeTemporaryDirectory(directory)
    }
  })
})
