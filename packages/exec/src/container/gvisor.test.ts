import { expect, it, vi } from 'vitest'
import { createCodeExecutor } from '../create-code-executor.ts'

vi.setConfig({ testTimeout: 120_000 })

const socket = process.env['X_EXEC_GVISOR']
if (socket === undefined && process.env['X_CI_EXPECTS']?.includes('gvisor')) throw new Error('CI expects gvisor')

it.skipIf(socket === undefined)(
  'code in a container runs on the kernel of gVisor when that is the runtime',
  async () => {
    await using executor = createCodeExecutor('container', {
      socket,
      image: process.env['X_EXEC_IMAGE'],
      runtime: 'runsc',
      timeout: 5,
    })
    const sh = async (code: string): Promise<string> =>
      (await executor.executeCodeBlocks([{ language: 'sh', code }])).output
    expect(await sh('dmesg | head -n 1')).toContain('gVisor')
    expect(await sh('id -u; echo a > f; cat f; ls /sys/class/net 2>/dev/null | grep -v lo')).toBe('65534\na\n')
    expect(await sh('sleep 60 & while :; do :; done')).toContain('Timeout')
    expect(await sh('cat f; ps | grep -c "[s]leep 60"')).toBe('a\n0\n')
  },
)
