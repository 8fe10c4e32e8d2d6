import { expect, it, onTestFinished, vi } from 'vitest'
import { createHost, sqlite } from './index.ts'

it('lets the program end by itself after `SIGTERM`, and ends the process by the signal', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const others = process.listeners('SIGTERM')
  const exits = process.listeners('exit')
  process.removeAllListeners('SIGTERM')
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  const host = createHost({ chats: [], at: sqlite(':memory:') })
  onTestFinished(async () => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    for (const each of others) process.on('SIGTERM', each)
    await host.close()
  })
  const work = host.work()
  process.emit('SIGTERM')
  await work
  expect([kill.mock.calls, exit.mock.calls]).toEqual([[], []])
  await expect(host.work()).rejects.toThrow('the process ends by `SIGTERM`')
  // A program that does not end is ended.
  vi.advanceTimersByTime(500)
  expect(exit).toHaveBeenCalledOnce()
  const [last, ...rest] = process.listeners('exit').filter((each) => !exits.includes(each))
  expect(rest).toEqual([])
  process.removeListener('exit', last!)
  last!(0)
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']])
})
