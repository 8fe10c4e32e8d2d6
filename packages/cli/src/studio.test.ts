import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AssistantAgent, tool } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { openRecords } from '@x/records'
import { functionModel } from '@x/testing'
import { z } from 'zod'
import { XError } from '@x/kernel'
import { openLog, openToShow } from './log/log-source.ts'
import sell from './log/shop.fake.ts'
import { serveStudio } from './studio.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'x-studio-'))
  file = join(folder, 'runs.db')
  const records = openRecords(file)
  await sell({ tracer: records })
  records.close()
})

afterEach(() => rmSync(folder, { recursive: true }))

/** Starts the command, and returns what it prints first, and the end of it. */
async function start(
  options: { readonly program?: string; readonly port?: number } = {},
): Promise<{ readonly url: URL; readonly end: () => Promise<void> }> {
  const stop = new AbortController()
  const printed = Promise.withResolvers<string>()
  const served = serveStudio(file, { port: 0, ...options }, { env: {}, write: printed.resolve, signal: stop.signal })
  served.catch(printed.reject)
  const url = new URL(/http:\S+/u.exec(await printed.promise)![0])
  return {
    url,
    end: async () => {
      stop.abort()
      await served
    },
  }
}

/** Enters the page by the printed address, and returns the headers of a person who is in. */
async function enter(url: URL): Promise<Record<string, string>> {
  const entered = await fetch(url, { redirect: 'manual' })
  return { cookie: entered.headers.get('set-cookie')!.split(';')[0]! }
}

it('shows the runs of a file to whoever has its address', async () => {
  const { url, end } = await start()
  const headers = await enter(url)
  expect((await fetch(new URL('/api/runs', url))).status).toBe(401)
  const list = await fetch(new URL('/api/runs', url), { headers })
  expect(await list.json()).toMatchObject({ runs: [{ title: 'How much is tea?' }] })
  expect(await (await fetch(new URL('/', url), { headers })).text()).toContain('<title>studio</title>')
  await end()
})

it('answers to the names of this machine alone', async () => {
  const { url, end } = await start()
  const { cookie } = await enter(url)
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request(
      new URL('/api/runs', url),
      { headers: { host: `rebound.example:${url.port}`, cookie: cookie! } },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
      .on('error', reject)
      .end()
  })
  expect(status).toBe(403)
  await end()
})

it('goes on with the program of a module, and chats with its agents', async () => {
  const program = join(folder, 'shop.ts')
  const shop = new URL('log/shop.fake.ts', import.meta.url).href
  writeFileSync(
    program,
    `import sell from '${shop}'\nexport default (options) => sell(options)\nexport const agents = { clerk: { runStream() {} } }\n`,
  )
  const { url, end } = await start({ program })
  const headers = await enter(url)
  expect(await (await fetch(new URL('/api/info', url), { headers })).json()).toEqual({
    ...{ title: 'runs.db', agents: ['clerk'], forks: true, labels: true, decides: false },
  })
  await end()
})

it.each([
  ['none.js', undefined, /there is no such file/u],
  ['empty.js', 'export const x = 1', /neither a program nor agents/u],
  ['runs.db', undefined, /it is not a module of JavaScript or TypeScript/u],
  ['', undefined, /it is not a module of JavaScript or TypeScript/u],
])('refuses the module %s', async (name, code, error) => {
  if (code) writeFileSync(join(folder, name), code)
  await expect(start({ program: join(folder, name) })).rejects.toThrow(error)
})

it('says what to do where another program has its port', async () => {
  const { url, end } = await start()
  await expect(start({ port: Number(url.port) })).rejects.toThrow(/another program does; give `--port` another one/u)
  await end()
})

it('shows a file that may not be written', async () => {
  const readable: typeof openLog = async (name, env, toChange) => {
    if (toChange) throw new XError('invalid-argument', 'cannot open the records: name a file that you may write')
    return await openLog(name, env)
  }
  await using source = await openToShow(file, {}, readable)
  expect(source.mayChange).toBe(false)
  expect(await source.list()).toHaveLength(1)
  await using changed = await openToShow(file, {})
  expect(changed.mayChange).toBe(true)
  await expect(openToShow(join(folder, 'none.db'), {})).rejects.toThrow('there is no file')
})

it('decides on a call of a host', async () => {
  file = join(folder, 'chats.db')
  const refund = tool({
    name: 'refund',
    description: 'Gives money back.',
    parameters: { type: 'object', properties: {} },
    needsApproval: true,
    execute: () => 'given back',
  })
  const call = { id: 'c1', function: { name: 'refund', arguments: '{}' } }
  const model = functionModel(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? `It was ${messages.at(-1)!.content as string}.` : { tool_calls: [call] },
  )
  const program = defineChat({
    ...{ name: 'refund', version: '1', input: z.object({ text: z.string() }) },
    run: async ({ input, run }) => {
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig: model, silent: true })
      return (await clerk.run(input.text, { tools: refund, run })).text
    },
  })
  const host = createHost({ chats: [program], at: sqlite(file) })
  const stop = new AbortController()
  const working = host.work({ signal: stop.signal })
  await host.submit(program, { text: 'Order 17 came broken.' }, { id: 'order-17' })
  await expect.poll(async () => (await host.get('order-17'))?.state).toBe('suspended')

  const { url, end } = await start()
  const headers = { ...(await enter(url)), 'x-studio': '1', 'content-type': 'application/json' }
  const rows = (await (await fetch(new URL('/api/runs/order-17/rows', url), { headers })).json()) as {
    readonly rows: readonly { readonly name: string | null; readonly place: string | null }[]
  }
  const approval = rows.rows.find(({ name }) => name === 'approval')!
  const decided = await fetch(new URL('/api/runs/order-17/decide', url), {
    ...{ method: 'POST', headers, body: JSON.stringify({ pending: approval.place, allow: true }) },
  })
  expect(decided.status).toBe(200)
  expect(await host.result('order-17')).toBe('It was given back.')
  await end()
  stop.abort()
  await working
  await host.close()
})
