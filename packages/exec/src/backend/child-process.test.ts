import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { endProcess } from './child-process.ts'

it('sends no signal for a process that could not be started', async () => {
  const child = spawn('/nowhere/at-all')
  const failed = once(child, 'error')
  const kill = vi.spyOn(child, 'kill')
  endProcess(child)
  expect(kill).not.toHaveBeenCalled()
  await failed
})

it('ends one that runs', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const ended = once(child, 'exit')
  endProcess(child)
  expect(await ended).toEqual([null, 'SIGKILL'])
})
