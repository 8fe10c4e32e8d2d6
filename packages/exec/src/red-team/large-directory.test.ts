import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdWorkspace } from '../backend/workspace.ts'
import { executorMatrix, python, sh } from '../executor-matrix.fake.ts'

// A directory of the user's that does not fit into the limits of the copy.
const LIMITS = { workspaceBytes: 2 ** 20, workspaceEntries: 1_000 }

let workDir: string
beforeAll(() => {
  workDir = realpathSync(mkdtempSync(join(tmpdir(), 'x,la:rge-')))
  mkdirSync(join(workDir, 'many'))
  execFileSync('sh', ['-c', 'seq 1200 | xargs touch'], { cwd: join(workDir, 'many') })
  writeFileSync(join(workDir, 'big.bin'), Buffer.alloc(4 * 2 ** 20, 'x'))
})
afterAll(() => rmSync(workDir, { recursive: true }))

const read = (name: string): string => readFileSync(join(workDir, name), 'utf8')

/** Whether this machine lays changes over a directory for this user. */
function layers(): boolean {
  const [own, lower] = ['own', 'lower'].map((name) => mkdtempSync(join(realpathSync(tmpdir()), `x-${name}-`)))
  const held = holdWorkspace(own!, LIMITS, lower)
  held.release()
  for (const made of [own, lower]) rmSync(made!, { recursive: true })
  return held.isLayered
}

const isLayered = layers()
const matrix = await executorMatrix(['bubblewrap', 'unshare'])
describe.each(matrix)('$kind in a large directory of the user', ({ missing, create }) => {
  const isRoot = process.getuid?.() === 0
  it.skipIf(missing !== null || (isLayered && !isRoot))(
    'is refused with a remedy where it has to be copied',
    async () => {
      const other = realpathSync(mkdtempSync(join(tmpdir(), 'x-large-')))
      execFileSync('sh', ['-c', 'seq 40 | xargs touch'], { cwd: other })
      if (isRoot) chownSync(join(other, '7'), 0, 1)
      await using executor = create({ workDir: other, limits: { workspaceEntries: 20 } })
      const { blocks } = await executor.executeCodeBlocks([sh('true')])
      rmSync(other, { recursive: true })
      expect([blocks![0]!.reason, blocks![0]!.stderr]).toEqual(['disk', expect.stringContaining('`workspaceEntries`')])
    },
  )

  const test = it.skipIf(missing !== null || !isLayered)

  test('sees all of it, copies nothing, and brings back what it changed', async () => {
    mkdirSync(join(workDir, 'some/a'), { recursive: true })
    for (const name of ['package.json', 'notes.txt', 'gone.txt', 'some/a/b']) writeFileSync(join(workDir, name), 'mine')
    await using executor = create({ workDir, limits: LIMITS })
    const first = await executor.executeCodeBlocks([
      sh(
        'cat /proc/self/mountinfo /proc/mounts | grep -c rge-; ls many | wc -l; wc -c < big.bin; echo its > package.json; echo its > notes.txt; rm gone.txt; echo its > new',
      ),
    ])
    expect(first.output).toMatch(/^0\n1200\n4194304\nNot written/u)
    expect([read('package.json'), read('notes.txt'), read('new'), existsSync(join(workDir, 'gone.txt'))]).toEqual([
      'mine',
      'its\n',
      'its\n',
      false,
    ])
    // Later blocks see what was held, and what the user changed meanwhile.
    writeFileSync(join(workDir, 'notes.txt'), 'newer text')
    writeFileSync(join(workDir, 'gone.txt'), 'again')
    const second = await executor.executeCodeBlocks([sh('cat package.json notes.txt gone.txt; rm -r some; mkdir some')])
    expect([second.output, second.changes!.map(({ name, kind }) => `${kind} ${name}`)]).toEqual([
      'its\nnewer textagain',
      ['removed some/a/b', 'removed some/a'],
    ])
    rmSync(join(workDir, 'new'))
  })

  test('is bounded in what it writes', async () => {
    await using executor = create({ workDir, limits: LIMITS, apply: 'ask' })
    const { output, changes = [] } = await executor.executeCodeBlocks([
      sh('echo x >> big.bin; head -c 2000000 /dev/zero > zeros; rm zeros; seq 2000 | xargs touch'),
    ])
    expect(output.match(/No space left on device/gu)!.length).toBeGreaterThan(3)
    expect([changes.length <= 1_000, statSync(join(workDir, 'big.bin')).size]).toEqual([true, 4 * 2 ** 20])
  })

  test('reaches no socket that a program of the user opens there', async () => {
    const server = createServer().listen(join(workDir, 'own.sock'))
    await using executor = create({ workDir, limits: LIMITS })
    const { output } = await executor.executeCodeBlocks([
      python(
        'import socket\ntry:\n  socket.socket(socket.AF_UNIX).connect("own.sock")\n  print("reached")\nexcept OSError as error: print(error)',
      ),
    ])
    server.close()
    expect(output).toMatch(/refused|No such file|not permitted/u)
  })

  test('cannot forge what layers know of a file', async () => {
    await using executor = create({ workDir, limits: LIMITS, apply: 'ask' })
    const { output } = await executor.executeCodeBlocks([
      python(`
import os
os.makedirs("made")
for name in ["redirect", "opaque", "metacopy", "origin"]:
  for kind in ["user", "trusted"]:
    try: os.setxattr("made", f"{kind}.overlay.{name}", b"/etc")
    except OSError: pass
print(os.listdir("made"), os.path.exists("made/passwd"))
`),
    ])
    expect(output.split('\n')[0]).toBe('[] False')
  })
})
