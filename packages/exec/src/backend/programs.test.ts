import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executorMatrix, SANDBOX_KINDS } from '../executor-matrix.fake.ts'
import { interpreterOutside } from './programs.ts'

let place: string
const put = (file: string, text: string): void => {
  mkdirSync(dirname(join(place, file)), { recursive: true })
  writeFileSync(join(place, file), text, { mode: 0o755 })
}
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'x-place-')))
  // Who runs the code is another user.
  chmodSync(place, 0o755)
  // An interpreter that the system's directories lack, beside a file that it needs.
  put('pwsh-7/bin/pwsh', '#!/bin/sh\ncase $2 in -Command) exit 0;; esac\n. "${0%/*}/../share/greeting"\nexec sh "$4"\n')
  put('pwsh-7/share/greeting', 'echo hello\n')
  put('shims/pwsh', '#!/bin/sh\nexit 0\n')
  mkdirSync(join(place, 'current'))
  symlinkSync('../pwsh-7/bin/pwsh', join(place, 'current', 'pwsh'))
})
afterAll(() => rmSync(place, { recursive: true }))

describe('an interpreter outside the system directories', () => {
  it('is found through links, with the directory that it needs', () => {
    const directory = join(place, 'pwsh-7')
    expect(interpreterOutside('pwsh', join(place, 'current'), [])).toEqual({
      path: join(directory, 'bin', 'pwsh'),
      directory,
    })
  })

  it('is null if the system has it, and if there is none', () => {
    expect(interpreterOutside('sh', '/usr/bin:/bin', [])).toBeNull()
    expect(interpreterOutside('no-such-program', `${place}:relative:`, [])).toBeNull()
  })

  it('is not shown with a directory that holds more than programs', () => {
    expect(() => interpreterOutside('pwsh', join(place, 'shims'), [])).toThrow('lies at')
    const hidden = join(place, 'pwsh-7', 'secrets')
    expect(() => interpreterOutside('pwsh', join(place, 'current'), [hidden])).toThrow('readOnly')
    expect(homedir()).not.toBe('')
  })
})

const matrix = await executorMatrix(SANDBOX_KINDS)
describe.each(matrix)('$kind', ({ missing, create }) => {
  it.skipIf(missing !== null)(
    'runs code in an interpreter of another directory, which it shows read-only',
    async () => {
      await using executor = create({ hostEnv: { PATH: join(place, 'current') } })
      const code = `touch ${place}/pwsh-7/x 2>/dev/null; ls ${place}`
      const { exitCode, output } = await executor.executeCodeBlocks([{ language: 'pwsh', code }])
      expect([exitCode, output]).toEqual([0, 'hello\npwsh-7\n'])
    },
  )

  it.skipIf(missing !== null)('names the remedy for an interpreter that it cannot show', async () => {
    await using executor = create({ hostEnv: { PATH: join(place, 'shims') } })
    const { exitCode, output, blocks } = await executor.executeCodeBlocks([{ language: 'pwsh', code: '' }])
    expect([exitCode, blocks?.[0]?.reason]).toEqual([1, 'unsupported-language'])
    expect(output).toMatch(/lies at `.*shims\/pwsh`.*readOnly/u)
  })

  it.skipIf(missing !== null)(
    'finds its tools whatever `PATH` the program has, and reports a missing interpreter',
    async () => {
      await using executor = create({ hostEnv: {} })
      expect((await executor.executeCodeBlocks([{ language: 'sh', code: 'echo ran' }])).output).toBe('ran\n')
      const { output } = await executor.executeCodeBlocks([{ language: 'pwsh', code: '' }])
      expect(output).toContain('no powershell in the sandbox')
    },
  )
})
