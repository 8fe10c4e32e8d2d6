import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { killProcess } from './child-process.ts'

it('sends no signal to a process that failed to start', async () => {
  const child = spawn('/nowhere/at-all')
  const failed = once(child, 'error')
  const kill = vi.spyOn(child, 'kill')
  killProcess(child)
  expect(kill).not.toHaveBeenCalled()
  await failed
})

it('kills a running process', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const ended = once(child, 'exit')
  killProcess(child)
  expect(await ended).toEqual([null, 'SIGKILL'])
})
