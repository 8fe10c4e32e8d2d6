import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { stateFolder } from './recording.ts'

it.each([
  [{ XDG_STATE_HOME: '/state' }, '/home/ada', '/state/x'],
  [{}, '/home/ada', '/home/ada/.local/state/x'],
  // An empty variable is one that is not set.
  [{ XDG_STATE_HOME: '' }, '', join(userInfo().homedir, '.local/state/x')],
])('keeps the state of %j with the home %j in %j', (env, home, folder) => {
  expect(stateFolder(env, () => home)).toBe(folder)
})
