import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { whileDiverted } from './log-command.ts'

it('takes what a program prints elsewhere while it runs, and no longer', async () => {
  const [output, errors] = [new PassThrough(), new PassThrough()]
  const act = async (): Promise<number> => {
    output.write('of the program\n')
    return await Promise.resolve(7)
  }
  expect(await whileDiverted(output, errors, act)).toBe(7)
  await expect(whileDiverted(output, errors, async () => await Promise.reject(new Error('broken')))).rejects.toThrow()
  output.write('of the command\n')
  expect(String(output.read())).toBe('of the command\n')
  expect(String(errors.read())).toBe('of the program\n')
})
