import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { RunTracer, XEvent } from '@x/interfaces'
import { openRecords } from '@x/records'
import { expect, it, onTestFinished } from 'vitest'
import { stateFolder, whileRecording } from './recording.ts'

it.each([
  [{ XDG_STATE_HOME: '/state' }, '/home/ada', '/state/x'],
  [{}, '/home/ada', '/home/ada/.local/state/x'],
  // An empty variable is one that is not set.
  [{ XDG_STATE_HOME: '' }, '', join(userInfo().homedir, '.local/state/x')],
])('keeps the state of %j with the home %j in %j', (env, home, folder) => {
  expect(stateFolder(env, () => home)).toBe(folder)
})

it('removes no run from a file that the person names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const tell = (tracer: RunTracer, runId: string, time: number): void => {
    const chat = { type: 'chatStart', id: '1.chat', agent: 'user', recipient: 'clerk', message: 'Hi', options: {} }
    tracer.begin().take({ ...chat, runId, time, parentId: null, chatId: '1', agentPath: ['user'] } as unknown as XEvent)
  }
  const file = join(folder, 'runs.jsonl')
  const earlier = openRecords({ file, now: () => 1e12 })
  tell(earlier, 'old', 1e12)
  earlier.close()
  await whileRecording({ choice: file, tags: {}, env: {} }, async (tracer) => {
    await Promise.resolve(tell(tracer!, 'new', Date.now()))
  })
  const records = openRecords({ file, readOnly: true })
  expect((await records.list()).map(({ runId }) => runId)).toEqual(['new', 'old'])
  records.close()
})
