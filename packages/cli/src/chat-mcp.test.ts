import { describe, expect, it } from 'vitest'
import { serverOf, wordsOf } from './chat-mcp.ts'

describe('servers of a chat', () => {
  it.each([
    ['npx -y @modelcontextprotocol/server-github', 'github'],
    ['npx -y @scope/mcp-files@1.2.3 /data', 'files'],
    ['uvx mcp-server-git --repository .', 'git'],
    ['./my server.js', 'my'],
    ['https://api.example.com/mcp', 'api-example'],
    ['mcp', 'mcp'],
  ])('%s is named %s', (line, name) => {
    expect(serverOf(line).name).toBe(name)
    expect(serverOf(line, [name]).name).toBe(`${name}-2`)
  })

  it('are command lines that no shell reads', () => {
    expect(wordsOf(`node "a b.js" --x='1 2' $HOME;rm`)).toEqual(['node', 'a b.js', '--x=1 2', '$HOME;rm'])
    expect(() => serverOf(' ')).toThrow(/--mcp is empty/u)
  })
})
