import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { homedir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findGroups } from '../backend/control-group.ts'
import { makeTemporaryDirectory, removeTemporaryDirectory } from '../run/temporary-directory.ts'
import { executorMatrix, MACHINE_KINDS, python, sh } from '../executor-matrix.fake.ts'

// A busy machine is slow.
vi.setConfig({ testTimeout: 60_000 })

const running = (sign: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(sign)
      } catch {
        return false
      }
    })

let services: Server
beforeAll(async () => {
  services = createServer((socket) => socket.end('reached'))
  if (process.platform === 'linux') {
    await new Promise<void>((resolve) => services.listen(`\0x-exec-service-${process.pid}`, resolve))
  }
})
afterAll(() => void services.close())

const matrix = await executorMatrix(MACHINE_KINDS)
describe.each(matrix.filter(({ kind }) => kind === 'bubblewrap' || kind === 'unshare'))(
  '$kind',
  ({ missing, create }) => {
    const test = it.skipIf(missing !== null)

    test.each([
      ['its own directory', false],
      ['a directory of the user’s', true],
    ])('starts no more processes than it may, in %s', async (_, given) => {
      const workDir = makeTemporaryDirectory()
      try {
        await using executor = create({ ...(given && { workDir }), limits: { timeout: 6, pids: 24 } })
        // Bounded, and all of them wait.
        const code =
          'import os, time\nn = 0\nfor i in range(600):\n  try:\n    if os.fork() == 0: time.sleep(3); os._exit(0)\n    n += 1\n  except OSError: break\nprint("forked", n, flush=True)'
        const { output } = await executor.executeCodeBlocks([python(code)])
        // Ended while it was at it, or refused by the kernel.
        expect(Number(/forked (?<forked>\d+)/u.exec(output)?.groups?.['forked'] ?? 0)).toBeLessThanOrEqual(24)
      } finally {
        await removeTemporaryDirectory(workDir)
      }
    })

    test.each([
      ['its own directory', false],
      ['a directory of the user’s', true],
    ])('reads no path of the machine in the processes that it sees, in %s', async (_, given) => {
      const workDir = makeTemporaryDirectory()
      try {
        await using executor = create({ env: { GIVEN: 'canary' }, ...(given && { workDir }) })
        const code = `cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n'`
        const { output } = await executor.executeCodeBlocks([sh(code)])
        expect(output).toContain('GIVEN=canary')
        for (const path of [executor.workDir, 'x-exec-', homedir(), '--bind']) expect(output).not.toContain(path)
      } finally {
        await removeTemporaryDirectory(workDir)
      }
    })

    test('has no limits in a process that is not its own', async () => {
      const code = `
import ctypes
limits = lambda pid: {line[:26].strip(): line[26:66].split() for line in open(f"/proc/{pid}/limits")}
mine, first = limits("self"), limits(1)
less = [name for name in ("Max cpu time", "Max file size", "Max core file size", "Max open files", "Max address space") if mine[name] != first[name]]
status = dict(line.split(":\\t") for line in open("/proc/1/status").read().splitlines() if ":\\t" in line)
less += [name for name in ("Seccomp", "NoNewPrivs") if status[name] == "0"]
try: open("/proc/1/mem", "r+b"); print("opened", less)
except OSError: print("closed")`
      await using executor = create({ limits: { timeout: 6, pids: 24 } })
      // Who may write there takes its limits: they are no others.
      const { output } = await executor.executeCodeBlocks([python(code)])
      expect(['closed\n', 'opened []\n']).toContain(output)
    })

    test('opens sockets of few families, and none of the machine without its network', async () => {
      const code = `
import socket
for family in (1, 2, 10, 16, 17, 21, 31, 38, 40, 44):
  try: socket.socket(family, socket.SOCK_RAW if family in (16, 17) else socket.SOCK_STREAM).close(); print(family)
  except OSError: pass
s = socket.socket(socket.AF_UNIX)
try: s.connect("\\0x-exec-service-${process.pid}"); print(s.recv(9).decode())
except OSError: print("no")`
      await using executor = create()
      expect((await executor.executeCodeBlocks([python(code)])).output).toBe('1\n2\n10\n16\nno\n')
      // With it, they are reached as from any program of this machine: the documents say so.
      await using host = create({ network: 'host' })
      expect((await host.executeCodeBlocks([python(code)])).output).toContain('reached')
    })
  },
)

const bases = process.platform === 'linux' ? findGroups() : null
if (bases === null)
  console.warn('untested: `local` and what leaves its group and its environment, for want of control groups')
describe.skipIf(!bases?.pids)('local, where control groups can be made', () => {
  it.each([
    ['with no environment', sh('env -i setsid sleep 8908 >/dev/null 2>&1 & sleep 0.2; echo ok')],
    [
      'after two forks',
      python(
        'import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    os.closerange(0, 9); os.execve("/bin/sleep", ["sleep", "8908"], {})\n  os._exit(0)\ntime.sleep(0.2); print("ok")',
      ),
    ],
  ])('ends what left it %s', async (_, block) => {
    await using executor = matrix.find(({ kind }) => kind === 'local')!.create()
    const { output } = await executor.executeCodeBlocks([block])
    expect(output).toBe('ok\n')
    await vi.waitUntil(() => running('sleep 8908').length === 0, { timeout: 30_000, interval: 20 })
  })
})
