import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRecords, type Records } from '@x/records'
import { type ChatItem, shownItems, withLine } from '../page/chat-items.ts'
import { compareHash, costText, piecesOf, visibleText } from '../page/format.ts'
import type { ChatLine, RunFuture, RunList, RunRows, StepDetail, StudioInfo } from './protocol.ts'
import { asker, parrot, sell, shopRecords } from './runs.fake.ts'
import { studio, type StudioHandler, type StudioOptions } from './studio.ts'

let folder: string
let records: Records
let runId: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'))
  ;({ records, runId } = await shopRecords(folder))
})

afterEach(() => {
  records.close()
  rmSync(folder, { recursive: true })
})

const ORIGIN = 'http://127.0.0.1:4983'

const get = async (handler: StudioHandler, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  await handler(new Request(`${ORIGIN}${path}`, { headers }))

const post = async (
  handler: StudioHandler,
  path: string,
  body: unknown,
  headers: Record<string, string> = { 'x-studio': '1' },
): Promise<Response> =>
  await handler(
    new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )

const read = async <T>(handler: StudioHandler, path: string): Promise<T> => {
  const response = await get(handler, path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

const open = (options: StudioOptions = {}): StudioHandler => studio(records, options)

describe('the page', () => {
  it('is served with a policy that lets nothing else in', async () => {
    const handler = open()
    const types = {
      '/': 'text/html',
      '/page.js': 'text/javascript',
      '/page.css': 'text/css',
      '/icon.svg': 'image/svg+xml',
    }
    for (const [path, type] of Object.entries(types)) {
      const response = await get(handler, path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain(type)
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/u)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      const again = await get(handler, path, { 'if-none-match': response.headers.get('etag')! })
      expect(again.status).toBe(304)
    }
  })

  it.each(['/../package.json', '/%2e%2e/package.json', '/page.tsx', '/api', '/api/nothing', '/api/runs/x/y/z'])(
    'has no %s',
    async (path) => {
      expect((await get(open(), path)).status).toBe(404)
    },
  )

  it('refuses an address that is damaged', async () => {
    expect((await get(open(), '/api/runs/%E0%A4%A/rows')).status).toBe(400)
  })

  it('is mounted below a path', async () => {
    const handler = open({ basePath: '/studio/' })
    expect((await get(handler, '/')).status).toBe(404)
    expect((await get(handler, '/studiox/')).status).toBe(404)
    expect((await get(handler, '/studio')).headers.get('location')).toBe('/studio/')
    expect(await read<StudioInfo>(handler, '/studio/api/info')).toMatchObject({ title: 'studio' })
  })

  it('says what is wrong with options', () => {
    expect(() => studio(records, { program: 7 as never })).toThrow(/`program`/u)
    expect(() => studio(records, { tilte: 'x' } as never)).toThrow(/`tilte`/u)
  })
})

describe('a token', () => {
  it('lets in whoever has had it once', async () => {
    const handler = open({ token: 'secret' })
    expect((await get(handler, '/')).status).toBe(401)
    expect((await get(handler, '/?token=wrong')).status).toBe(401)
    expect((await get(handler, '/api/runs')).status).toBe(401)
    const entered = await get(handler, '/?token=secret')
    expect(entered.status).toBe(303)
    expect(entered.headers.get('location')).toBe('/')
    const cookie = entered.headers.get('set-cookie')!
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/u)
    expect(cookie).not.toContain('secret')
    expect((await get(handler, '/api/runs', { cookie: `a=b; ${cookie.split(';')[0]!}` })).status).toBe(200)
  })

  it('has a cookie for each port, since a browser sends all of a machine to all ports', async () => {
    const cookies = await Promise.all(
      [4983, 4984].map(async (port) => {
        const entered = await open({ token: `${port}` })(new Request(`http://127.0.0.1:${port}/?token=${port}`))
        return entered.headers.get('set-cookie')!.split(';')[0]!
      }),
    )
    const [one, other] = cookies.map((cookie) => cookie.split('=')[0])
    expect(one).not.toBe(other)
    expect((await get(open({ token: '4983' }), '/api/runs', { cookie: cookies.join('; ') })).status).toBe(200)
  })
})

describe('the list of runs', () => {
  it('has runs with what they cost together', async () => {
    const list = await read<RunList>(open(), '/api/runs')
    expect(list.runs).toMatchObject([{ runId, title: 'How much is tea?', tags: { app: 'shop' } }])
    expect(list.totals).toMatchObject({ runs: 1, failed: 0, calls: 2, promptTokens: 14, completionTokens: 6, cost: 1 })
    expect(list.totals.days).toHaveLength(1)
    expect(list).toMatchObject({ agents: ['clerk', 'user'], tags: ['app=shop'] })
  })

  it.each([
    ['words=TEA+shop', 1],
    ['words=coffee', 0],
    ['agent=clerk', 1],
    ['agent=nobody', 0],
    ['outcome=ok&tag=app%3Dshop', 1],
    ['outcome=error', 0],
    ['outcome=nonsense', 1],
    ['limit=0', 0],
    ['limit=-1', 1],
    ['limit=all', 1],
    ['tag=app%3Dbank', 0],
  ])('finds runs by %s', async (query, found) => {
    expect((await read<RunList>(open(), `/api/runs?${query}`)).runs).toHaveLength(found)
  })

  it('has the cost of a run of several days on each of them', async () => {
    const [info] = await records.list()
    const began = Date.UTC(2026, 0, 30)
    const spent = ['2026-01-30', '2026-02-01'].map((day, index) => ({ ...info!.spent[0]!, day, cost: index + 1 }))
    const list = async (): Promise<(typeof info & object)[]> => await Promise.resolve([{ ...info!, began, spent }])
    const handler = studio({ list, read: async (id) => await records.read(id) })
    expect((await read<RunList>(handler, '/api/runs')).totals.days).toEqual([
      { day: '2026-01-30', runs: 1, cost: 1 },
      { day: '2026-02-01', runs: 0, cost: 2 },
    ])
  })

  it('tells of calls whose price is unknown', async () => {
    const [info] = await records.list()
    const spent = info!.spent.map((each) => ({ ...each, cost: 0, unpriced: each.calls }))
    const list = async (): Promise<(typeof info & object)[]> => await Promise.resolve([{ ...info!, spent }])
    const handler = studio({ list, read: async (id) => await records.read(id) })
    expect((await read<RunList>(handler, '/api/runs')).totals).toMatchObject({ cost: 0, unpriced: 2 })
    expect([costText(spent), costText([...spent, { cost: 0.5 }]), costText(info!.spent), costText([])]).toEqual([
      'price unknown',
      '≥ $0.5000',
      '$1.00',
      '$0',
    ])
  })

  it('finds runs by a tag with `=` in its name as it is shown', async () => {
    const [info] = await records.list()
    const list = async (): Promise<typeof infos> => await Promise.resolve(infos)
    const infos = [{ ...info!, tags: { 'a=b': 'c' } }]
    const handler = studio({ list, read: async (id) => await records.read(id) })
    const { tags } = await read<RunList>(handler, '/api/runs')
    const found = await read<RunList>(handler, `/api/runs?tag=${encodeURIComponent(tags[0]!)}`)
    expect(found.runs).toHaveLength(1)
  })
})

describe('a run', () => {
  it('is rows: each answer with its question, each tool with its result', async () => {
    const { rows, from } = await read<RunRows>(open(), `/api/runs/${runId}/rows`)
    expect(from).toBe(0)
    expect(
      rows.map(({ kind, depth, agent, name, text, result, place }) => [kind, depth, agent, name, text, result, place]),
    ).toEqual([
      ['chat', 0, 'user', 'clerk', 'How much is tea?', '', null],
      ['answer', 1, 'clerk', 'scripted', '→ price({"item":"tea"})', '', '1.1'],
      ['tool', 1, 'user', 'price', '{"item":"tea"}', '3', '1.2.0.0'],
      ['answer', 1, 'clerk', 'scripted', 'Tea costs 3 euros.', '', '1.3'],
    ])
    expect(rows[1]).toMatchObject({ tokens: [7, 3], cost: 0.5, model: 'scripted', outcome: 'ok' })
  })

  it('comes from the first row on that has changed', async () => {
    const { seq } = await read<RunRows>(open(), `/api/runs/${runId}/rows`)
    expect(await read<RunRows>(open(), `/api/runs/${runId}/rows?since=${seq}`)).toMatchObject({ from: 4, rows: [] })
    const late = await read<RunRows>(open(), `/api/runs/${runId}/rows?since=${seq - 2}`)
    // The chat ends last, and it is the first row.
    expect(late.from).toBe(0)
  })

  it('is the same in a page that has looked on since each of its events', async () => {
    const kept = (await records.read(runId))!
    const until = (count: number): StudioHandler => {
      const run = { ...kept, events: kept.events.slice(0, count), info: { ...kept.info, events: count } }
      return studio({
        list: async () => await Promise.resolve([run.info]),
        read: async () => await Promise.resolve(run),
      })
    }
    let page: Pick<RunRows, 'rows' | 'seq'> = { rows: [], seq: -1 }
    for (const [index] of kept.events.entries()) {
      const handler = until(index + 1)
      const { from, rows, seq } = await read<RunRows>(handler, `/api/runs/${runId}/rows?since=${page.seq}`)
      page = { rows: [...page.rows.slice(0, from), ...rows], seq }
      expect(page.rows).toEqual((await read<RunRows>(handler, `/api/runs/${runId}/rows`)).rows)
    }
    expect(page.rows).toHaveLength(4)
  })

  it('tells of a question to a model what was asked, and what had changed', async () => {
    const { rows } = await read<RunRows>(open(), `/api/runs/${runId}/rows`)
    const detail = await read<StepDetail>(open(), `/api/runs/${runId}/step?id=${rows[3]!.id}`)
    expect(detail).toMatchObject({ output: 'Tea costs 3 euros.', answer: 'Tea costs 3 euros.', error: null })
    expect(detail.asked!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(detail.asked).toMatchObject({ shared: 2, before: [], settings: [{ model: 'scripted' }] })
    expect(detail.events.map(({ type }) => type)).toContain('modelCallEnd')
  })

  it('is read again only if something is new in it', async () => {
    let reads = 0
    let change: object = { outcome: null }
    const kept = (await records.read(runId))!
    const handler = studio({
      list: async () => await Promise.resolve([{ ...kept.info, ...change }]),
      read: async () => {
        reads++
        return await Promise.resolve({ ...kept, info: { ...kept.info, ...change } })
      },
    })
    const rows = async (): Promise<RunRows> => await read<RunRows>(handler, `/api/runs/${runId}/rows`)
    for (let times = 0; times < 3; times++) await rows()
    expect(reads).toBe(1)
    change = { outcome: null, labels: [{ name: 'score', value: 1, place: null, at: 0 }] }
    expect((await rows()).info.labels).toHaveLength(1)
    expect(reads).toBe(1)
    change = { outcome: 'ok', events: kept.info.events + 1 }
    expect((await rows()).info.outcome).toBe('ok')
    expect(reads).toBe(2)
    // A chat of a host was deleted, and submitted again with its id.
    change = { ...change, began: kept.info.began + 1 }
    expect((await rows()).info.began).toBe(kept.info.began + 1)
    expect(reads).toBe(3)
  })

  it('is refused by name if its events are none that a run tells', async () => {
    const kept = (await records.read(runId))!
    const events = kept.events.map((event) => (event.type === 'toolStart' ? ({ ...event, id: 5 } as never) : event))
    const handler = studio({
      list: records.list.bind(records),
      read: async () => await Promise.resolve({ ...kept, events }),
    })
    const response = await get(handler, `/api/runs/${runId}/rows?since=-1`)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: 'the record of a run is damaged: its events cannot be read' })
  })

  it('is 404 if there is none, or no such step', async () => {
    expect((await get(open(), '/api/runs/none/rows')).status).toBe(404)
    const missing = await get(open(), `/api/runs/${runId}/step?id=none`)
    expect(missing.status).toBe(404)
    expect(await missing.json()).toEqual({ error: `The run \`${runId}\` has no step \`none\`.` })
  })
})

describe('a change', () => {
  it.each([
    ['without the header of the page', {}, 403],
    ['from another site', { 'x-studio': '1', 'sec-fetch-site': 'cross-site' }, 403],
    ['from a page beside it', { 'x-studio': '1', 'sec-fetch-site': 'same-site' }, 403],
  ] as const)('is refused %s', async (_, headers, status) => {
    expect((await post(open(), `/api/runs/${runId}/label`, { name: 'score', value: 1 }, headers)).status).toBe(status)
    expect((await records.list())[0]!.labels).toEqual([])
  })

  it.each([
    ['no JSON', 'x', 400],
    ['a list', [], 400],
    ['no name', { value: 1 }, 400],
    ['too much', { name: 'x'.repeat(1_100_000) }, 413],
  ])('is refused with %s', async (_, body, status) => {
    expect((await post(open(), `/api/runs/${runId}/label`, body)).status).toBe(status)
  })

  it('is refused as soon as it is too long, where no header says so', async () => {
    let sent = 0
    const part = new TextEncoder().encode('x'.repeat(100_000))
    const body = new ReadableStream<Uint8Array>({ pull: (to) => (sent++ < 100 ? to.enqueue(part) : to.close()) })
    const init = { method: 'POST', headers: { 'x-studio': '1' }, body, duplex: 'half' }
    const response = await open()(new Request(`${ORIGIN}/api/runs/${runId}/label`, init as RequestInit))
    expect(response.status).toBe(413)
    expect(sent).toBeLessThan(20)
  })

  it('labels a run and a place', async () => {
    await post(open(), `/api/runs/${runId}/label`, { name: 'score', value: 0.5 })
    await post(open(), `/api/runs/${runId}/label`, { name: 'bad', value: true, place: '1.1' })
    const [info] = await records.list()
    expect(info!.labels).toMatchObject([
      { name: 'score', value: 0.5, place: null },
      { name: 'bad', value: true, place: '1.1' },
    ])
  })

  it('is refused for runs that are only read', async () => {
    const handler = studio({ list: records.list.bind(records), read: records.read.bind(records) })
    const response = await post(handler, `/api/runs/${runId}/label`, { name: 'score', value: 1 })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: 'Cannot label a run: these runs are only read.' })
  })
})

describe('a fork', () => {
  it('goes on with another answer, and stands beside its run', async () => {
    const handler = open({ program: sell })
    const response = await post(handler, `/api/runs/${runId}/fork`, { place: '1.2.0.0', answer: '5', samples: 2 })
    const { runs } = (await response.json()) as { readonly runs: readonly string[] }
    expect(runs).toHaveLength(2)
    const forks = await read<readonly { readonly runId: string }[]>(handler, `/api/runs/${runId}/forks`)
    expect(forks.map((fork) => fork.runId).toSorted()).toEqual(runs.toSorted())
    const futures = await read<readonly RunFuture[]>(handler, `/api/futures?run=${runId}&run=${runs[0]!}`)
    expect(futures[0]!.said.at(-1)).toEqual({ who: 'clerk', text: 'Tea costs 3 euros.' })
    expect(futures[1]!.said.at(-1)).toEqual({ who: 'clerk', text: 'Tea costs 5 euros.' })
  })

  it('is seen in the records that it was given, beside a run of other ones', async () => {
    const apart = openRecords(join(folder, 'forks.jsonl'))
    const source = { list: records.list.bind(records), read: records.read.bind(records) }
    const handler = studio(source, { records: apart, program: sell })
    const response = await post(handler, `/api/runs/${runId}/fork`, { place: '1.2.0.0', answer: '5' })
    const { runs } = (await response.json()) as { readonly runs: readonly string[] }
    const futures = await read<readonly RunFuture[]>(handler, `/api/futures?run=${runId}&run=${runs[0]!}`)
    expect(futures.map(({ said }) => said.at(-1)!.text)).toEqual(['Tea costs 3 euros.', 'Tea costs 5 euros.'])
    expect(await read(handler, `/api/runs/${runId}/forks`)).toMatchObject([{ runId: runs[0] }])
    expect((await read<RunList>(handler, '/api/runs')).runs.map((run) => run.runId)).toEqual([runs[0], runId])
    expect(await records.list()).toHaveLength(1)
    apart.close()
  })

  it('is put beside runs of any ids', async () => {
    const kept = (await records.read(runId))!
    const ids = ['order,17', 'order/18?a#b', runId]
    const handler = studio({
      list: async () => await Promise.resolve([]),
      read: async (id) => await Promise.resolve({ ...kept, info: { ...kept.info, runId: id } }),
    })
    expect(compareHash(ids).split('/').slice(2).map(decodeURIComponent)).toEqual(ids)
    const query = ids.map((id) => `run=${encodeURIComponent(id)}`).join('&')
    const futures = await read<readonly RunFuture[]>(handler, `/api/futures?${query}`)
    expect(futures.map(({ info }) => info.runId)).toEqual(ids)
  })

  it('begins again with another first message', async () => {
    const handler = open({ program: sell })
    const response = await post(handler, `/api/runs/${runId}/fork`, { place: null, message: 'And coffee?' })
    const { runs, errors } = (await response.json()) as { readonly runs: readonly string[]; readonly errors: unknown }
    expect(errors).toEqual([])
    const futures = await read<readonly RunFuture[]>(handler, `/api/futures?run=${runId}&run=${runs[0]!}`)
    expect(futures[1]!.said[0]).toEqual({ who: 'user', text: 'And coffee?' })
    expect(futures[1]!.said).toHaveLength(4)
  })

  it.each([
    [{ place: '9.9' }, /no call has the place/u],
    [{ place: 1 }, /which place/u],
    [{ place: '1.1', samples: 0 }, /1 to 20 samples/u],
    [{ place: '1.1', samples: 21 }, /1 to 20 samples/u],
  ])('is refused for %j', async (body, error) => {
    const response = await post(open({ program: sell }), `/api/runs/${runId}/fork`, body)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { readonly error: string }).error).toMatch(error)
  })

  it('needs the program', async () => {
    const response = await post(open(), `/api/runs/${runId}/fork`, { place: '1.1' })
    expect(await response.json()).toEqual({
      error: 'Cannot go on from here: give the studio the program of the runs, as `--program`.',
    })
  })
})

describe('a decision', () => {
  it('is asked for as long as the call waits', async () => {
    const waits = async (id: string): Promise<readonly boolean[]> => {
      const { rows } = await read<RunRows>(open(), `/api/runs/${id}/rows?since=-1`)
      return rows.filter(({ name }) => name === 'approval').map((row) => row.waits)
    }
    const asked = await asker.run('pay', { tracer: records })
    const { runId: id } = (await records.list({ agent: 'asker' }))[0]!
    expect(await waits(id)).toEqual([true])
    const { journal } = asked
    for (const { id: pending } of journal!.pending) await journal!.decide(pending, { allow: true })
    // It pays, and asks to pay again.
    await asker.run('pay', { journal: journal!, tracer: records })
    expect(await waits(id)).toEqual([false, true])
  })

  it('is about what stands there, with signs that nobody sees', () => {
    expect(visibleText('{"to":"moc.a@\u202Eb"}\r\n\t👩‍🚀\u{E0041}')).toBe(
      String.raw`{"to":"moc.a@\u202eb"}` + '\r\n\t👩‍🚀' + String.raw`\udb40\udc41`,
    )
    const blocks = [
      { language: 'python', code: 'print(2**3**4)' },
      { language: '', code: '- x' },
    ]
    expect(piecesOf({ type: 'code', blocks })).toEqual([
      { head: 'asks to run python', code: 'print(2**3**4)' },
      { head: 'asks to run code', code: '- x' },
    ])
    expect(piecesOf({ type: 'toolCall', callId: 'c1', name: 'pay', arguments: { to: 'me' } })).toEqual([
      { head: 'asks to call pay', code: '{\n  "to": "me"\n}' },
    ])
  })

  it('goes to the host', async () => {
    const decided: unknown[] = []
    const handler = open({ host: { decide: async (...given) => void (await Promise.resolve(decided.push(given))) } })
    await post(handler, `/api/runs/${runId}/decide`, { pending: '1.2', allow: true })
    await post(handler, `/api/runs/${runId}/decide`, { pending: '1.3', allow: false, reason: 'too dear' })
    await post(handler, `/api/runs/${runId}/decide`, { pending: '1.4', allow: true, answer: 'blue' })
    expect(decided).toEqual([
      [runId, '1.2', { allow: true }],
      [runId, '1.3', { allow: false, reason: 'too dear' }],
      [runId, '1.4', { allow: true, answer: 'blue' }],
    ])
    expect((await post(handler, `/api/runs/${runId}/decide`, { pending: '1.2', allow: 'yes' })).status).toBe(400)
    expect((await post(open(), `/api/runs/${runId}/decide`, { pending: '1.2', allow: true })).status).toBe(400)
  })
})

describe('a chat', () => {
  const say = async (
    handler: StudioHandler,
    text: string,
    chat = 'a',
    agent = 'parrot',
  ): Promise<readonly ChatLine[]> => {
    const response = await post(handler, `/api/chats/${agent}`, { text, chat })
    return (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ChatLine)
  }

  it('goes on from turn to turn, and each turn is recorded', async () => {
    const handler = open({ agents: { parrot } })
    expect((await say(handler, 'hello')).at(-1)).toMatchObject({ type: 'end', text: '2: hello' })
    const lines = await say(handler, 'again')
    expect(lines.at(-1)).toMatchObject({ type: 'end', text: '4: again' })
    expect((await say(handler, 'new', 'b')).at(-1)).toMatchObject({ text: '2: new' })
    expect(await records.list({ tags: { command: 'studio', chat: 'a' } })).toHaveLength(2)
  })

  it('answers messages that come at once one after the other, also behind one whose page went away', async () => {
    const handler = open({ agents: { parrot } })
    const message = (text: string): Promise<Response> => post(handler, '/api/chats/parrot', { text, chat: 'a' })
    const left = await message('left')
    const turns = [say(handler, 'one'), say(handler, 'two'), say(handler, 'three')]
    await left.body!.cancel()
    const texts = (await Promise.all(turns)).map((lines) => lines.at(-1))
    expect(texts).toMatchObject([{ text: '2: one' }, { text: '4: two' }, { text: '6: three' }])
    expect((await say(handler, 'four')).at(-1)).toMatchObject({ text: '8: four' })
  })

  it('shows the calls of every turn, and the words of agents that talk at once apart', async () => {
    const person: ChatItem = { kind: 'person', text: 'pay' }
    const pay = async (): Promise<readonly ChatLine[]> => await say(open({ agents: { asker } }), 'pay', 'a', 'asker')
    const first = (await pay()).reduce(withLine, [person])
    const items = (await pay()).reduce(withLine, [...first, person])
    expect(shownItems(items).map(({ kind }) => kind)).toEqual(['person', 'tool', 'error', 'person', 'tool', 'error'])
    const begin = (id: string): ChatLine => ({ type: 'begin', id, agent: id, model: 'm' })
    const words = (id: string, text: string): ChatLine => ({ type: 'text', id, agent: id, text })
    const lines = [begin('ann'), begin('bob'), words('ann', 'A'), words('bob', 'void'), words('ann', 'B'), begin('bob')]
    const end: ChatLine = { type: 'end', runId: null, text: 'AB' }
    const talk = [...lines, words('bob', 'C'), end].reduce(withLine, [person])
    expect(talk).toMatchObject([{ kind: 'person' }, { agent: 'ann', text: 'AB' }, { agent: 'bob', text: 'C' }])
    const next = withLine([...talk, person], end)
    expect(next.at(-1)).toMatchObject({ kind: 'agent', text: 'AB' })
  })

  it('says that a tool waits for a decision, and not that it is done', async () => {
    const lines = await say(open({ agents: { asker } }), 'pay', 'a', 'asker')
    expect(lines.filter(({ type }) => type === 'tool')).toMatchObject([{ name: 'pay', output: null }])
    expect(lines.at(-2)).toEqual({
      type: 'error',
      error: '`pay` waits for a decision, which this chat cannot take: it was not done.',
    })
  })

  it('says what failed, without a key', async () => {
    const broken = {
      runStream: () => {
        throw new Error('no model for sk-0123456789abcdef')
      },
    }
    const response = await post(open({ agents: { broken } }), '/api/chats/broken', { text: 'x', chat: 'a' })
    expect(JSON.parse(await response.text())).toEqual({
      type: 'error',
      error: 'broken has failed: no model for [redacted]',
    })
  })

  it.each(['toString', 'nobody'])('has no agent %s', async (name) => {
    expect((await post(open({ agents: { parrot } }), `/api/chats/${name}`, { text: 'x', chat: 'a' })).status).toBe(400)
  })
})

it('refuses a source without runs, such as the path of a file, and says what to give', () => {
  for (const [source, path] of [
    ['tea.db', 'tea.db'],
    [undefined, 'runs.db'],
  ] as const) {
    const message = `cannot open \`studio\`: its source has no runs to show; give \`openRecords('${path}')\` of \`@x/records\``
    expect(() => studio(source as never)).toThrow(expect.objectContaining({ code: 'invalid-argument', message }))
  }
})
