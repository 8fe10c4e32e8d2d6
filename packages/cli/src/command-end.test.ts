import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { XError } from '@x/kernel'
import { expect, it } from 'vitest'
import { errorText, failUnwritten, whileWanted, type CommandProcess } from './command-end.ts'

interface Simulated {
  readonly inside: CommandProcess
  readonly statuses: readonly number[]
  readonly told: readonly string[]
}

/** A process in which a command runs, the statuses that it was given, and the lines that a person was told. */
function simulated(): Simulated {
  const [statuses, told]: [number[], string[]] = [[], []]
  const inside = {
    signals: new EventEmitter(),
    output: new EventEmitter(),
    exitWith: (status: number) => void statuses.push(status),
    tell: (line: string) => void told.push(line),
  }
  return { inside, statuses, told }
}

const unwritten = (code: string): Error => Object.assign(new Error(`${code}: write`), { code, syscall: 'write' })

const untilStopped = async (signal: AbortSignal): Promise<void> => {
  await once(signal, 'abort')
  throw new Error('stopped')
}

it('stops a command whose output nobody reads, without a word', async () => {
  const { inside, statuses, told } = simulated()
  failUnwritten(inside)
  const ended = whileWanted(untilStopped, inside)
  inside.output.emit('error', unwritten('EPIPE'))
  await ended
  inside.output.emit('error', unwritten('EPIPE'))
  expect([statuses, told]).toEqual([[], []])
})

it('stops a command whose output cannot be written, and says so once', async () => {
  const { inside, statuses, told } = simulated()
  failUnwritten(inside)
  const ended = whileWanted(untilStopped, inside)
  inside.output.emit('error', unwritten('ENOSPC'))
  await ended
  inside.output.emit('error', unwritten('ENOSPC'))
  expect([statuses, told]).toEqual([[1], ['ENOSPC: write']])
})

it('takes a command in which a module ends the process for failed', async () => {
  const { inside, statuses, told } = simulated()
  await whileWanted(async () => {
    inside.signals.emit('exit', 3)
    inside.signals.emit('exit', 0)
    await Promise.resolve()
  }, inside)
  inside.signals.emit('exit', 0)
  expect([statuses, told]).toEqual([[1], [expect.stringContaining('`process.exit`')]])
})

it('says of a command for which nothing goes on that it waits', async () => {
  const { inside, statuses, told } = simulated()
  await whileWanted(async () => await Promise.resolve(void inside.signals.emit('exit', 13)), inside)
  expect([statuses, told]).toEqual([[], [expect.stringContaining('waits for what never comes')]])
})

it('stops a command at Ctrl-C, with the exit status of one that was stopped', async () => {
  const { inside, statuses } = simulated()
  const ended = whileWanted(untilStopped, inside)
  inside.signals.emit('SIGINT')
  await expect(ended).rejects.toThrow('stopped')
  expect(statuses).toEqual([130])
  expect(inside.signals.listenerCount('SIGINT')).toBe(0)
})

it('has failed when it says so, and was stopped all the same where Ctrl-C was pressed', async () => {
  const { inside, statuses } = simulated()
  await whileWanted(async (_, fail) => await Promise.resolve(fail()), inside)
  expect(statuses).toEqual([1])
  const ended = whileWanted(async (signal, fail) => {
    await once(signal, 'abort')
    fail()
  }, inside)
  inside.signals.emit('SIGINT')
  await ended
  expect(statuses).toEqual([1, 130])
})

it('passes an error of the command on', async () => {
  const { inside } = simulated()
  await expect(whileWanted(async () => await Promise.reject(new Error('broken')), inside)).rejects.toThrow('broken')
})

function thrownBy(act: () => void): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

it('tells an error of the framework and one of the system in a line, and leaves others as they are', () => {
  expect(errorText(new XError('invalid-argument', 'no\u001B[2J\nsecond'))).toBe('invalid-argument: no␛[2J\n  second')
  expect(errorText(thrownBy(() => writeFileSync('/nowhere/tree.html', '')))).toBe(
    "ENOENT: no such file or directory, open '/nowhere/tree.html'",
  )
  expect(errorText(new TypeError('x is not a function'))).toBeNull()
  expect(errorText('text')).toBeNull()
})
