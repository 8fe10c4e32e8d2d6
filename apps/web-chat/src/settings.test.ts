import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readSettings, secret, settingsArgs } from './settings.ts'

it('pass whole to another process', () => {
  const args = ['--group', '--port', '80', '--origin', 'https://chat.example.org/', '--price', '0.5,2']
  const limits = ['--requests', '60', '--tokens', '1000', '--chat-budget', '0.5', '--day-budget', '20']
  const settings = readSettings([
    ...args,
    ...limits,
    '--base-url',
    'http://127.0.0.1:1/v1',
    '--monitor',
    '0',
    '--record',
    'runs.db',
  ])
  expect(settings).toMatchObject({
    ...{ kind: 'group', port: 80, origin: 'https://chat.example.org', price: [0.5, 2], model: 'gpt-5-mini' },
    ...{ requests: 60, tokens: 1000, chatBudget: 0.5, dayBudget: 20, monitor: 0 },
  })
  expect(readSettings(settingsArgs(settings))).toEqual(settings)
  expect(readSettings(settingsArgs(readSettings([])))).toEqual(readSettings([]))
})

it.each([
  [['--lease', 'soon'], /`--lease soon`: it takes a number of at least 0/u],
  [['--day-budget=-1'], /`--day-budget -1`/u],
  [['--requests='], /`--requests `/u],
  [['--price', '3'], /`--price 3`: it takes two numbers/u],
  [['--origin', 'chat.example.org'], /`--origin chat\.example\.org`: it takes the address of the page/u],
  [['--origin', 'https://example.org/chat'], /without a path/u],
])('%j are refused', (args, text) => {
  expect(() => readSettings(args)).toThrow(text)
})

it('read secrets from the environment or from files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  onTestFinished(() => void vi.unstubAllEnvs())
  writeFileSync(join(folder, 'key'), 'from-a-file\n')
  vi.stubEnv('WEB_CHAT_TOKEN', '')
  expect(secret('WEB_CHAT_TOKEN')).toBeUndefined()
  vi.stubEnv('WEB_CHAT_TOKEN_FILE', join(folder, 'key'))
  expect(secret('WEB_CHAT_TOKEN')).toBe('from-a-file')
  vi.stubEnv('WEB_CHAT_TOKEN', 'from-the-environment')
  expect(secret('WEB_CHAT_TOKEN')).toBe('from-the-environment')
  vi.stubEnv('OPENAI_API_KEY_FILE', join(folder, 'key'))
  expect(readSettings([]).model).toBe('gpt-5-mini')
})

it.each([
  ['../Containerfile', 1],
  ['../compose.yaml', 3],
])('in %s are those of programs that exist', (name, count) => {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  const commands = [...text.matchAll(/\[\s*["']?node["']?,\s*["']?dist\/(\w+)\.js["']?,([^\]]*)\]/gu)]
  expect(commands).toHaveLength(count)
  for (const [, program = '', args = ''] of commands) {
    expect(existsSync(new URL(`${program}.ts`, import.meta.url)), program).toBe(true)
    const given = args.split(',').map((arg) => arg.trim().replaceAll(/^["']|["']$/gu, ''))
    const settings = readSettings(given.filter(Boolean))
    expect(settings).toMatchObject({ listen: '0.0.0.0', monitor: 9090, folder: '/data' })
  }
})
