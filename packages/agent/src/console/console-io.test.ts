import type { EventBody, UsageSummary } from '@x/interfaces'
import { eventOutside } from '@x/kernel/run'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { consoleIo } from '../index.ts'

const used: UsageSummary = {
  totalCost: 0.5,
  models: { m: { cost: 0.5, promptTokens: 2, completionTokens: 3, totalTokens: 5 } },
}
const usedText = 'cached answers: $0.500000\n  m: $0.500000, 2 + 3 = 5 tokens'
const call = { name: 'add', arguments: '{"x":1}' }

/** What the console shows of each event; null for nothing. */
const cases: [event: EventBody, shown: string | null][] = [
  [
    { type: 'receivedMessage', agent: 'b', sender: 'a', recipient: 'b', message: { content: 'hello' }, index: 0 },
    `a (to b):\n\nhello\n\n${'-'.repeat(80)}`,
  ],
  [
    {
      type: 'receivedMessage',
      agent: 'b',
      index: 0,
      sender: 'a',
      recipient: 'b',
      message: {
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:' } },
        ],
      },
    },
    `a (to b):\n\nlook\n<image_url>\n\n${'-'.repeat(80)}`,
  ],
  [
    {
      type: 'receivedMessage',
      agent: 'b',
      index: 0,
      sender: 'a',
      recipient: 'b',
      message: { content: null, function_call: call, tool_calls: [{ id: 'c', function: call }] },
    },
    `a (to b):\n\ncalls add({"x":1})\ncalls add({"x":1})\n\n${'-'.repeat(80)}`,
  ],
  [
    { type: 'executeFunction', agent: 'b', funcName: 'add', callId: 'c', arguments: { x: 1 }, recipient: 'b' },
    '>>> b calls add({"x":1})',
  ],
  [
    {
      type: 'executedFunction',
      agent: 'b',
      funcName: 'add',
      callId: null,
      arguments: { x: 1 },
      content: '2',
      recipient: 'b',
    },
    '>>> add gave 2',
  ],
  [
    { type: 'executeCodeBlock', agent: 'b', code: 'ls', language: 'sh', codeBlockCount: 1, recipient: 'b' },
    '>>> b runs code block 1 (sh)',
  ],
  [
    { type: 'usingAutoReply', agent: 'b', humanInputMode: 'ALWAYS', sender: 'a', recipient: 'b' },
    '>>> b answers by itself',
  ],
  [
    {
      type: 'terminationAndHumanReply',
      agent: 'b',
      noHumanInputMsg: 'NO HUMAN INPUT RECEIVED.',
      sender: null,
      recipient: 'b',
    },
    '>>> NO HUMAN INPUT RECEIVED.',
  ],
  [{ type: 'clearConversableAgentHistory', agent: 'b', noMessagesPreserved: 0 }, null],
  [
    { type: 'clearConversableAgentHistory', agent: 'b', noMessagesPreserved: 2 },
    '>>> b kept 2 further message(s), so that tool results stay with their calls',
  ],
  [
    { type: 'clearConversableAgentHistoryWarning', agent: 'b', recipient: 'b' },
    '>>> b cleared one conversation, and the number of messages to keep was ignored',
  ],
  [{ type: 'conversableAgentUsageSummary', agent: 'b', recipient: 'b' }, "Agent 'b':"],
  [
    { type: 'conversableAgentUsageSummaryNoCostIncurred', agent: 'b', recipient: 'b' },
    "Agent 'b' has no model and no cost.",
  ],
  [
    { type: 'usageSummary', agent: 'b', actualUsageSummary: null, totalUsageSummary: used, mode: 'both' },
    `Usage without cached answers: none.\nUsage with ${usedText}`,
  ],
  [
    { type: 'usageSummary', agent: 'b', actualUsageSummary: used, totalUsageSummary: null, mode: 'actual' },
    `Usage without ${usedText}`,
  ],
  [
    { type: 'usageSummary', agent: 'b', actualUsageSummary: null, totalUsageSummary: used, mode: 'total' },
    `Usage with ${usedText}`,
  ],
  [
    {
      ...{ type: 'usageSummary', agent: 'b', actualUsageSummary: null, mode: 'total' },
      totalUsageSummary: { ...used, unpriced: Object.keys(used.models) },
    },
    `Usage with ${usedText.replaceAll('$0.500000', 'at least $0.500000')}`,
  ],
  [{ type: 'textDelta', agent: 'b', index: 0, text: 'a' }, null],
]

describe('the console', () => {
  afterEach(() => void vi.restoreAllMocks())

  it.each(cases.map(([event, shown]) => [event.type, shown, event] as const))(
    'shows %s as %j',
    async (_, shown, event) => {
      const log = vi.spyOn(console, 'log').mockImplementation(() => {})
      await consoleIo().send(eventOutside(event, 0))
      expect(log.mock.calls).toEqual(shown === null ? [] : [[shown]])
    },
  )

  it('shows warnings apart from the conversation', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await consoleIo().send(eventOutside({ type: 'warning', agent: null, topic: 'a', text: 'careful' }, 0))
    expect(warn.mock.calls).toEqual([['warning: careful']])
  })
})

/** Runs a module in a process of its own, types into it, and gives what it wrote. */
async function played(
  source: string,
  typed: string,
  { leavesOpen = false } = {},
): Promise<{ out: string; err: string; code: number }> {
  const index = JSON.stringify(new URL('../index.ts', import.meta.url).href)
  const module = `import { consoleIo, ConversableAgent } from ${index}\nconst io = consoleIo()\n${source}`
  const child = spawn(process.execPath, ['--conditions=@x/source', '--input-type=module', '--eval', module], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  })
  if (leavesOpen) child.stdin.write(typed)
  else child.stdin.end(typed)
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ])
  return { out, err, code }
}

describe('a prompt at the terminal', () => {
  it.each([
    ['blocking', '', 'true'],
    ['async', 'await ', 'false'],
  ])('is shown and answered: %s', async (_, wait, blocking) => {
    const source = `console.log(JSON.stringify(${wait}io.input('Name? ', { blocking: ${blocking} })))`
    expect(await played(source, 'naïve 猫\nmore\n')).toEqual({ out: 'Name? "naïve 猫"\n', err: '', code: 0 })
  })

  it('reads a line of a terminal of Windows without its end', async () => {
    const { out } = await played(`console.log(JSON.stringify(io.input('', { blocking: true })))`, 'a\r\n')
    expect(out).toBe('"a"\n')
  })

  it.each([
    ['blocking', 'initiateChatSync'],
    ['async', 'initiateChat'],
    ['stream', 'initiateChatStream'],
  ])('that finds the end of the input is an error that names `humanInputMode`: %s', async (_, operation) => {
    const source = `
      const agent = (name, humanInputMode) => new ConversableAgent({ name, humanInputMode, defaultAutoReply: 'auto' })
      try {
        const chat = agent('user', 'ALWAYS').${operation}(agent('bot', 'NEVER'), { message: 'hi', silent: true })
        console.log((await (chat.result ?? chat)).terminationReason)
      } catch ({ code, message, details }) {
        console.log(JSON.stringify([code, details, message.includes("humanInputMode: 'NEVER'")]))
      }`
    const { out, err, code } = await played(source, '')
    expect([
      out
        .split('\n')
        .at(-2)!
        .replace(/^[^[]*/u, ''),
      err,
      code,
    ]).toEqual(['["end-of-input",{"agent":"user"},true]', '', 0])
  })

  it.each([
    ['blocking', '', 'true'],
    ['async', 'await ', 'false'],
  ])('ends at once in a runtime without a terminal: %s', async (_, wait, blocking) => {
    const source = `const { process } = globalThis
      globalThis.process = undefined
      let found
      try { ${wait}io.input('Name? ', { blocking: ${blocking} }) } catch ({ code }) { found = code }
      globalThis.process = process
      console.log(found)`
    expect(await played(source, 'yes\n')).toEqual({ out: 'end-of-input\n', err: '', code: 0 })
  })

  it.each([
    ['blocking', '', 'true'],
    ['async', 'await ', 'false'],
  ])('reads a last line that has no end: %s', async (_, wait, blocking) => {
    const ask = `${wait}io.input('', { blocking: ${blocking} })`
    const source = `const first = ${ask}
      try { ${ask} } catch ({ code }) { console.log(first, code) }`
    expect((await played(source, 'yes')).out).toBe('yes end-of-input\n')
  })

  it('reads one line after the other of a pipe, and does not wait for its end', async () => {
    const source = `
      const agent = (name, humanInputMode) => new ConversableAgent({ name, humanInputMode, defaultAutoReply: 'auto' })
      const { humanInput } = await agent('user', 'ALWAYS').initiateChat(agent('bot', 'NEVER'), {
        message: 'hi', silent: true,
      })
      console.log(JSON.stringify(humanInput))`
    const { out, code } = await played(source, 'one\ntwo\nexit\n', { leavesOpen: true })
    expect(out.endsWith('["one","two","exit"]\n')).toBe(true)
    expect(code).toBe(0)
  })

  it('reads one line after the other in a blocking chat', async () => {
    const source = `
      const agent = (name, humanInputMode) => new ConversableAgent({ name, humanInputMode, defaultAutoReply: 'auto' })
      const { humanInput, terminationReason } = agent('user', 'ALWAYS').initiateChatSync(agent('bot', 'NEVER'), {
        message: 'hi', silent: true,
      })
      console.log(JSON.stringify([humanInput, terminationReason]))`
    const { out, code } = await played(source, 'one\ntwo\nexit\n')
    expect(out.endsWith('[["one","two","exit"],"human-exit"]\n')).toBe(true)
    expect(code).toBe(0)
  })

  it('is given up when the run is stopped', async () => {
    const source = `
      const stop = new AbortController()
      const asked = io.input('Name? ', { signal: stop.signal })
      stop.abort()
      console.log(await asked.then(() => 'answered', ({ name }) => name))`
    expect((await played(source, '')).out).toContain('AbortError')
  })
})
