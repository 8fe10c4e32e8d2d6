import { createAgent } from 'langchain'

const agent = createAgent({ model: 'openai:gpt-5-mini', systemPrompt: 'Be brief.' })

export async function POST(req: Request): Promise<Response> {
  const { message } = (await req.json()) as { message: string }
  const input = { messages: [{ role: 'user', content: message }] }
  const body = await agent.stream(input, { streamMode: 'messages', encoding: 'text/event-stream', signal: req.signal })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
