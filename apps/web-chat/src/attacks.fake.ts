import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { MAX_FILE_BYTES, MAX_FILES } from './attachment.ts'
import { MAX_BODY_BYTES } from './json-body.ts'
import { MAX_MESSAGE_BYTES } from './posts.ts'

/** The server to attack, and one of its chats. */
export interface Target {
  readonly origin: string
  readonly token: string
  readonly chat: string
}

/** The response of a server. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Sends a request with arbitrary headers, which a browser would not allow. */
export async function send(
  { origin }: Pick<Target, 'origin'>,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const sent = request(`${origin}${path}`, { method, headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of response) text += String(part)
  return { status: response.statusCode!, headers: response.headers, text }
}

/** Sends a post to the chat as its page would, with the changes of the test. */
export const post = (
  target: Target,
  headers: Record<string, string> = {},
  body = '{"text":"Hi"}',
  path = 'messages',
): Promise<Answer> =>
  send(target, path.startsWith('/') ? path : `/chats/${target.chat}/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${target.token}`,
      origin: target.origin,
      ...headers,
    },
    body,
  })

/** Requests that must be refused, with the expected status. */
export const ATTACKS: readonly (readonly [
  what: string,
  status: number,
  attack: (target: Target) => Promise<Answer>,
])[] = [
  ['without a token', 401, (at) => post(at, { authorization: '' })],
  ['with a wrong token', 401, (at) => post(at, { authorization: 'Bearer guess' })],
  ['for the events without a token', 401, (at) => send(at, '/events')],
  ['for the events of a chat without a token', 401, (at) => send(at, `/events?chat=${at.chat}`)],
  ['from another site', 403, (at) => post(at, { origin: 'http://evil.example' })],
  ['from another port of this machine', 403, (at) => post(at, { origin: 'http://127.0.0.1:1' })],
  ['from no site', 403, (at) => post(at, { origin: '' })],
  ['from another site, as the browser says', 403, (at) => post(at, { 'sec-fetch-site': 'cross-site' })],
  ['by a name that points here', 403, (at) => post(at, { host: 'evil.example', origin: 'http://evil.example' })],
  ['for the page by a name that points here', 403, (at) => send(at, '/', { headers: { host: 'evil.example' } })],
  ['that is no JSON', 400, (at) => post(at, {}, '{')],
  ['of another shape', 400, (at) => post(at, {}, '{"text":"Hi","more":1}')],
  ['without words', 400, (at) => post(at, {}, '{"text":"  "}')],
  ['of another type', 415, (at) => post(at, { 'content-type': 'text/plain' })],
  ['that is too long', 413, (at) => post(at, {}, JSON.stringify({ text: 'x'.repeat(MAX_BODY_BYTES) }), 'answers/1')],
  [
    'with more than a message may have',
    413,
    (at) => post(at, {}, JSON.stringify({ text: 'x'.repeat(MAX_MESSAGE_BYTES) })),
  ],
  ['with too many words', 400, (at) => post(at, {}, JSON.stringify({ text: 'x'.repeat(MAX_BODY_BYTES + 1) }))],
  ['with a file that is none', 400, (at) => post(at, {}, '{"text":"Hi","files":[{"name":"a"}]}')],
  ['with an empty file alone', 415, (at) => post(at, {}, '{"text":"","files":[{"name":"a","data":""}]}')],
  ['with a program', 415, (at) => post(at, {}, fileBody(Buffer.from('\x7fELF\x00')))],
  ['with too large a file', 413, (at) => post(at, {}, fileBody(Buffer.alloc(MAX_FILE_BYTES + 1, 'x')))],
  ['with too many files', 400, (at) => post(at, {}, fileBody(Buffer.from('x'), MAX_FILES + 1))],
  ['with files in a fork', 400, (at) => post(at, {}, '{"turn":0,"files":[]}', 'forks')],
  ['for a file without a token', 401, (at) => send(at, `/chats/${at.chat}/files/${'0'.repeat(32)}`)],
  ['for a file that is not there', 404, (at) => file(at, '0'.repeat(32))],
  ['for a file out of its folder', 404, (at) => file(at, `${'0'.repeat(31)}%2f`)],
  ['for another path', 404, (at) => post(at, {}, '{}', '/nothing')],
  ['out of the folder of the page', 404, (at) => send(at, '/../package.json')],
  ['whose address cannot be read', 400, (at) => send(at, '//')],
  ['for a name that cannot be read', 404, (at) => post(at, {}, '{}', 'approvals/%zz')],
  ['by another method', 405, (at) => send(at, `/chats/${at.chat}/messages`)],
  ['to another chat', 404, (at) => post(at, {}, undefined, '/chats/another/messages')],
  ['to a chat that was guessed', 404, (at) => post(at, {}, undefined, `/chats/${guessed(at)}/messages`)],
  ['for the events of another chat', 404, (at) => send(at, `/events?chat=another&token=${at.token}`)],
  ['for the events of a guessed chat', 404, (at) => send(at, `/events?chat=${guessed(at)}&token=${at.token}`)],
  ['for a chat of another kind', 400, (at) => post(at, {}, '{"kind":"duel"}', '/chats')],
  ['for chats older than nothing', 400, (at) => post(at, {}, '{}', '/older-chats')],
  ['for older chats without a token', 401, (at) => post(at, { authorization: '' }, '{"after":""}', '/older-chats')],
  ['to decide on nothing', 409, (at) => post(at, {}, '{"allow":true}', 'approvals/1.1')],
  ['to answer nothing', 409, (at) => post(at, {}, '{"text":"blue"}', 'answers/1')],
]

/** A message with files of some bytes. */
const fileBody = (bytes: Buffer, count = 1): string =>
  JSON.stringify({
    text: 'Hi',
    files: Array.from({ length: count }, () => ({ name: 'a', data: bytes.toString('base64') })),
  })

/** Asks for a file of the chat as its page would. */
export const file = (target: Target, id: string): Promise<Answer> =>
  send(target, `/chats/${target.chat}/files/${id}`, { headers: { authorization: `Bearer ${target.token}` } })

/** A well-formed identifier that no server has made. */
const guessed = ({ chat }: Target): string => chat.replace(/^.{8}/u, '00000000')
