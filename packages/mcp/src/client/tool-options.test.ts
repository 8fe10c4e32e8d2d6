import type { RunContext } from '@x/interfaces'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcp, type McpConnection, type McpTool, type McpToolDefinition, type McpToolsOptions } from '../index.ts'
import { listed, RawServer } from './raw-server.fake.ts'
import { allowedTools } from './tool-options.ts'

let server: RawServer
let its: McpConnection

beforeAll(async () => {
  server = await RawServer.start({
    tools: [
      listed('look', { annotations: { readOnlyHint: true } }),
      listed('write'),
      listed('delete.all', { annotations: { destructiveHint: true } }),
      listed('look', { description: 'Another one of the name.' }),
      listed('huge', { inputSchema: { type: 'object', description: 'x'.repeat(200_000) } }),
      listed('hidden', { description: `Adds.\u200B\u{E0041} ${'y'.repeat(10_000)}` }),
    ],
  })
  its = await mcp({ name: 's', url: server.url })
})
afterAll(async () => {
  await its.close()
  await server[Symbol.asyncDispose]()
})

/** Lists the tools that need approval. */
async function asking(options: Partial<McpToolsOptions>): Promise<string[]> {
  const tools = its.tools({ allow: ['look', 'write', 'delete.all'], ...options })
  const context: RunContext = { run: undefined }
  const asks = await Promise.all(
    tools.map(async ({ needsApproval }: McpTool) =>
      typeof needsApproval === 'function' ? await needsApproval({ text: 'x' }, context) : needsApproval,
    ),
  )
  return tools.filter((_, index) => asks[index]).map(({ name }) => name.slice(3, 8))
}

it('shows the names of tools without signs that hide, and cut', () => {
  const known = [{ originalName: `a\u202E\u001B[2J\n${'x'.repeat(900)}` }] as McpToolDefinition[]
  for (const options of [{ allow: ['nothing-like-it'] }, {}]) {
    const show = (): unknown => allowedTools('s', options as McpToolsOptions, known)
    expect(show).toThrow(/.a\[2J x{93}… \(cut: 907 characters\)./u)
  }
})

describe('the tools of a server', () => {
  it.each<[string, Partial<McpToolsOptions>, string[]]>([
    ['all by default, whatever the server says of them', {}, ['look', 'write', 'delet']],
    ['what the server does not call read-only, if it is trusted', { trust: 'annotations' }, ['write', 'delet']],
    ['all', { needsApproval: true }, ['look', 'write', 'delet']],
    ['none', { needsApproval: false }, []],
    ['all but those that are named', { needsApproval: { write: false } }, ['look', 'delet']],
    ['those that are named', { trust: 'annotations', needsApproval: { look: true, write: false } }, ['look', 'delet']],
    [
      'what a function says',
      { needsApproval: (tool, args) => tool.destructive && args['text'] === 'x' },
      ['write', 'delet'],
    ],
    ['what nobody has reviewed', { needsApproval: false, reviewed: { write: 'another' } }, ['look', 'write', 'delet']],
  ])('ask for approval: %s', async (_, options, names) => {
    expect(await asking(options)).toEqual(names)
  })

  it('need no approval once reviewed', async () => {
    const reviewed = Object.fromEntries(
      its.definitions.map(({ originalName, fingerprint }) => [originalName, fingerprint]),
    )
    expect(await asking({ needsApproval: false, reviewed })).toEqual([])
    expect(reviewed['look']).toMatch(/^[\da-f]{64}$/u)
  })

  it('are told with their difference if they are not as they were reviewed', async () => {
    const reviewed = JSON.parse(JSON.stringify(its.definitions)) as McpToolDefinition[]
    expect(await asking({ needsApproval: false, reviewed })).toEqual([])
    const changed = reviewed
      .filter(({ originalName }) => originalName !== 'delete.all')
      .map((each) => ({
        ...each,
        fingerprint: 'another',
        ...(each.originalName === 'look' ? { readOnly: false } : { description: `${each.description} Safely.` }),
      }))
    const told: unknown[] = []
    const allow = ['look', 'write', 'delete.all']
    for (const { needsApproval } of its.tools({ allow, needsApproval: false, reviewed: changed }))
      told.push(typeof needsApproval === 'function' && (await needsApproval({}, { run: undefined })))
    expect(told).toEqual([
      'it is not as it was reviewed: its `readOnly` was `false` and is `true`',
      expect.stringMatching(/^it is not as it was reviewed: its `description` was `.*Safely\.` and is `/u),
      'nobody has reviewed this tool',
    ])
  })

  it('are omitted when unusable, and limited otherwise', () => {
    expect(its.leftOut).toEqual([
      { name: 'look', why: 'another tool has the same name' },
      { name: 'huge', why: 'one of its schemas has more than 100000 characters' },
    ])
    expect(its.definitions.map(({ name }) => name)).toEqual([
      's__look',
      's__write',
      expect.stringMatching(/^s__delete_all_[\da-f]{10}$/u),
      's__hidden',
    ])
    expect(its.definitions.at(-1)!.description).toMatch(/^Adds\. y+… \(cut: 10009 characters\)$/u)
  })

  it.each<[string, unknown, RegExp]>([
    ['no list', {}, /name them, as in \{ allow: \['look', 'write', 'delete\.all'\] \}, or write allow: 'all'/u],
    ['a misspelt name', { allow: ['lok'] }, /it has no tool `lok`; did you mean `look`\?/u],
    [
      'a misspelt name of an approval',
      { allow: 'all', needsApproval: { wrote: false } },
      /no tool `wrote`; did you mean `write`/u,
    ],
    ['an unknown option', { allow: 'all', approve: true }, /the option `approve` is unknown/u],
  ])('are refused for %s', (_, options, says) => {
    expect(() => its.tools(options as McpToolsOptions)).toThrow(says)
  })
})
