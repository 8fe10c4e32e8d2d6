import dns, { lookup as namedLookup } from 'node:dns'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, get, request } from 'node:http'
import { get as getSecure } from 'node:https'
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecure } from 'node:tls'
import { promisify } from 'node:util'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectTarget, forbidNetwork, isLoopback, type ForbiddenNetwork } from './forbid-network.ts'

// A reserved name: if the switch fails, these tests still reach no host.
const FORBIDDEN_HOST = 'forbidden.invalid'

let network: ForbiddenNetwork
beforeEach(() => {
  network = forbidNetwork()
})
afterEach(() => network.restore())

const failure = async (emitter: NodeJS.EventEmitter): Promise<unknown> => {
  const [error] = (await once(emitter, 'error')) as [unknown]
  return error
}

describe('connections to other machines fail', () => {
  test('fetch', async () => {
    await expect(fetch(`https://${FORBIDDEN_HOST}/v1`)).rejects.toMatchObject({ cause: { code: 'invalid-state' } })
    expect(network.attempts).toEqual([`${FORBIDDEN_HOST}:443`])
  })

  test.each([
    ['node:http', () => get(`http://${FORBIDDEN_HOST}:8080/a/path`), 8080],
    ['node:https', () => getSecure(`https://${FORBIDDEN_HOST}/`), 443],
    ['node:net, by options', () => connect({ host: FORBIDDEN_HOST, port: 25 }), 25],
    ['node:net, by arguments', () => connect(25, FORBIDDEN_HOST), 25],
    ['node:net, by address', () => connect(53, '192.0.2.1'), 53],
    ['a socket that is written to at once', () => connect(25, FORBIDDEN_HOST).end('hello'), 25],
    ['node:tls', () => connectSecure({ host: FORBIDDEN_HOST, port: 465 }), 465],
  ])('%s', async (_, open, port) => {
    expect(await failure(open())).toMatchObject({ code: 'invalid-state' })
    expect(network.attempts).toEqual([expect.stringMatching(`^(${FORBIDDEN_HOST}|192.0.2.1):${port}$`)])
  })

  test('look-ups of names, in every form', async () => {
    const error = { code: 'invalid-state' }
    await expect(promisify(dns.lookup)(FORBIDDEN_HOST)).rejects.toMatchObject(error)
    await expect(promisify(namedLookup)(FORBIDDEN_HOST)).rejects.toMatchObject(error)
    await expect(promisify(dns.resolve4)(FORBIDDEN_HOST)).rejects.toMatchObject(error)
    await expect(dns.promises.lookup(FORBIDDEN_HOST)).rejects.toMatchObject(error)
    await expect(dns.promises.resolveMx(FORBIDDEN_HOST)).rejects.toMatchObject(error)
    await expect(new dns.promises.Resolver().resolveTxt(FORBIDDEN_HOST)).rejects.toMatchObject(error)
    const resolver = new dns.Resolver()
    await expect(promisify(resolver.resolve4.bind(resolver))(FORBIDDEN_HOST)).rejects.toMatchObject(error)
    expect(network.attempts).toEqual(Array.from({ length: 7 }, () => FORBIDDEN_HOST))
  })

  test('the error names the host and the alternatives', async () => {
    const error = (await failure(connect(443, FORBIDDEN_HOST))) as Error
    expect(error.message).toContain(`\`${FORBIDDEN_HOST}:443\``)
    expect(error.message).toMatch(/scriptedModel.*startFakeOpenAI.*allow: \['forbidden\.invalid'\]/u)
  })
})

describe('what stays on this machine works', () => {
  test.each(['127.0.0.1', 'localhost'])('a server at %s', async (host) => {
    const server = createServer((_, response) => response.end('here'))
    onTestFinished(() => void server.close())
    await once(server.listen(0, host), 'listening')
    const { port } = server.address() as AddressInfo
    expect(await (await fetch(`http://${host}:${port}`, { headers: { connection: 'close' } })).text()).toBe('here')
    expect(network.attempts).toEqual([])
  })

  test('a unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'x-socket-'))
    const path = process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replaceAll(/\W/gu, '-')}` : join(folder, 's')
    const server = createTcpServer((socket) => socket.end('here'))
    onTestFinished(() => {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    })
    await once(server.listen(path), 'listening')
    expect(await text(connect(path))).toBe('here')
    expect(await text(connect({ path }))).toBe('here')
  })

  test('http over a unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'x-socket-'))
    const path = process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replaceAll(/\W/gu, '-')}` : join(folder, 's')
    const server = createServer((_, response) => response.end('here'))
    onTestFinished(() => {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    })
    await once(server.listen(path), 'listening')
    const asked = request({ socketPath: path, host: FORBIDDEN_HOST, agent: false }).end()
    const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream]
    expect(await text(response)).toBe('here')
  })
})

test('a swallowed error is told once', async () => {
  await fetch(`http://${FORBIDDEN_HOST}`).catch(() => {})
  expect(() => network.assertUntouched()).toThrow(`\`${FORBIDDEN_HOST}:80\``)
  expect(() => network.assertUntouched()).not.toThrow()
})

test('hosts may be allowed', async () => {
  using inner = forbidNetwork({ allow: [FORBIDDEN_HOST] })
  expect(await failure(connect(443, FORBIDDEN_HOST))).toMatchObject({ code: 'invalid-state' })
  expect(inner.attempts).toEqual([])
  expect(network.attempts).toEqual([`${FORBIDDEN_HOST}:443`])
})

test('restored in any order, everything is as it was', () => {
  network.restore()
  const before = dns.lookup
  const first = forbidNetwork()
  const second = forbidNetwork()
  expect(dns.lookup).not.toBe(before)
  first.restore()
  second.restore()
  expect(() => connectTarget([])).not.toThrow()
  network = forbidNetwork()
  network.restore()
  dns.lookup('localhost', () => {})
  expect([first.attempts, second.attempts]).toEqual([[], []])
})

test.each([
  [[443, 'a.test'], { host: 'a.test', port: '443' }],
  [['443'], { host: 'localhost', port: '443' }],
  [[{ port: 1 }], { host: 'localhost', port: '1' }],
  [[[{ port: 1, host: 'a.test' }, null]], { host: 'a.test', port: '1' }],
  [['/run/some.sock'], undefined],
  [[{ path: '/run/some.sock' }], undefined],
])('the target of %j', (args, target) => expect(connectTarget(args)).toEqual(target))

test.each([
  ['localhost', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', true],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['10.0.0.1', false],
  ['', false],
])('%s is this machine: %s', (host, expected) => expect(isLoopback(host)).toBe(expected))
